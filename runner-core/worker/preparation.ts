/** All that has to be there before a job's container can be created: permission, image, network, workspace. */
import {
  EngineError,
  isEngineError,
  type DockerEngine,
  type ImageInfo,
  type NetworkInfo,
} from '../docker/docker-engine.ts';
import { isMadeBy, labelsOf } from '../docker/labels.ts';
import type { RegistryLookup } from '../docker/registry-auth.ts';
import { reason, type Reason } from '../model/reason.ts';
import type { DockerLaunchSpec } from '../model/job-spec.ts';
import type { Clock } from '../ports.ts';
import { abortable } from './abortable.ts';
import { pullImage } from './image-supply.ts';
import { isNamedNetwork, refusedOption } from './option-check.ts';
import type { JobContext } from './protocol.ts';
import type { JobReport } from './executor.ts';
import { engineAway, isEngineAway, type StartFailure } from './start-failure.ts';
import { prepareWorkspace } from './workspace.ts';

/** What an engine answers to a name that is none. */
const BAD_REQUEST = 400;
/** Time for who gave way to be gone, and for the lowest to have begun again. */
const LOWEST_WAITS_MS = 200;
const OTHERS_WAIT_MS = 800;
const GIVE_WAY_TURNS = 10;

export interface Preparation {
  readonly spec: DockerLaunchSpec;
  readonly context: JobContext;
  readonly engine: DockerEngine;
  readonly clock: Clock;
  readonly report: JobReport;
  readonly credentialsFor: (image: string) => Promise<RegistryLookup>;
  readonly signal: AbortSignal;
}
/** A network a job is to be on. `isOurs`: made by this host, to be removed with its last job. */
export interface JoinedNetwork {
  readonly id: string;
  readonly isOurs: boolean;
}
export type Prepared =
  | {
      readonly kind: 'prepared';
      readonly workspaceDir: string | null;
      /** Null where the job names none, or one that cannot be looked up. */
      readonly network: JoinedNetwork | null;
    }
  | { readonly kind: 'refused'; readonly failure: StartFailure };

/** Rejects with the signal's reason when aborted, and with EngineError when the engine is away. */
export async function prepareJob(job: Preparation): Promise<Prepared> {
  const { spec, context, engine, signal } = job;
  const { network } = spec.options;
  const early = refusedOption(spec.options, context.allowed, false);
  if (early !== null) return refused(notAllowed(early, spec));
  const [image, [joined]] = await abortable(
    Promise.all([
      imageHere(engine, spec.image),
      isNamedNetwork(network) ? engine.networksNamed(network) : [],
    ]),
    signal,
  );
  const isForeign = joined !== undefined && !isMadeBy(joined.labels, context);
  const refusal = refusedOption(spec.options, context.allowed, isForeign);
  if (refusal !== null) return refused(notAllowed(refusal, spec));
  const workspace = await abortable(keptWorkspace(job), signal);
  if (typeof workspace === 'object' && workspace !== null) return refused(workspace);
  if (image !== undefined && 'reason' in image) return refused(image);
  if (image === undefined) {
    const failure = await pullImage(spec.image, {
      ...job,
      progress: (text) => job.report.phase('pulling', text),
    });
    if (failure !== null) return refused({ reason: failure, exitCode: 0 });
  }
  const joins = await joinedNetwork(job, joined);
  return joins !== null && 'reason' in joins
    ? refused(joins)
    : { kind: 'prepared', workspaceDir: workspace, network: joins };
}

type Joining = Pick<Preparation, 'spec' | 'context' | 'engine' | 'clock' | 'report'>;

/** The image, undefined where it has to be pulled, or why there can be none of this name. */
async function imageHere(
  engine: DockerEngine,
  image: string,
): Promise<ImageInfo | undefined | StartFailure> {
  try {
    return await engine.image(image);
  } catch (error) {
    if (!isEngineError(error) || error.statusCode !== BAD_REQUEST) throw error;
    return { reason: reason('image_missing', { image, detail: error.message }), exitCode: 0 };
  }
}

const refused = (failure: StartFailure): Prepared => ({ kind: 'refused', failure });

/** With the flow, since it is the flow that the owner can allow the option. */
function notAllowed(why: Reason, { flowId }: DockerLaunchSpec): StartFailure {
  const facts = flowId === null ? why.facts : { ...why.facts, flow: flowId };
  return { reason: { ...why, facts }, exitCode: 0 };
}

/**
 * The network the job names, made where there is none; null where it names none that can be looked up, and
 * why it cannot be had. One of ours is noted, also when another job made it, so that the last removes it.
 */
export async function joinedNetwork(
  job: Joining,
  known: NetworkInfo | undefined,
): Promise<JoinedNetwork | null | StartFailure> {
  const { network: name } = job.spec.options;
  if (!isNamedNetwork(name)) return null;
  if (known !== undefined && !isMadeBy(known.labels, job.context))
    return { id: known.id, isOurs: false };
  try {
    const id = known?.id ?? (await makeNetwork(job, name));
    // Not waited for: the container is noted later, on the same ordered line, and waited for then.
    job.report.made({ kind: 'network', id, name }).catch(() => undefined);
    return { id, isOurs: true };
  } catch (error) {
    if (!isEngineError(error)) throw error;
    if (isEngineAway(error)) return engineAway(error.message);
    const facts = { network: name, detail: error.message };
    return { reason: reason('network_failed', facts), exitCode: 0 };
  }
}

/**
 * The id of the network, which another job may make at the same moment. The engine then lets both be, and
 * starts no container on either while there are two of a name. Who sees another beside its own gives way: one
 * that sees none was first, and everybody after it sees it. Where all gave way, the lowest id begins again.
 */
async function makeNetwork(
  { engine, clock, spec, context }: Joining,
  name: string,
): Promise<string> {
  const labels = labelsOf({ ...spec, ...context });
  const ours = async (): Promise<readonly NetworkInfo[]> =>
    (await engine.networksNamed(name)).filter((network) => isMadeBy(network.labels, context));
  for (let turn = 0; turn < GIVE_WAY_TURNS; turn++) {
    const made = await engine.createNetwork(name, labels).catch((error: unknown) => {
      if (isEngineError(error, 'conflict')) return undefined;
      throw error;
    });
    const others = (await ours()).filter(({ id }) => id !== made);
    if (made === undefined && others.length === 0) break;
    if (others.length === 0 && made !== undefined) return made;
    if (made !== undefined) {
      await engine.removeNetwork(made);
      const isLowest = others.every(({ id }) => made < id);
      await clock.wait(isLowest ? LOWEST_WAITS_MS : OTHERS_WAIT_MS);
    }
    const [left] = made === undefined ? others : await ours();
    if (left !== undefined) return left.id;
  }
  const facts = { statusCode: 409, kind: 'conflict' } as const;
  throw new EngineError(facts, 'somebody else has made a network of this name');
}

/** The folder, null where none is asked for, or why there is none. */
async function keptWorkspace({
  spec,
  context,
}: Pick<Preparation, 'spec' | 'context'>): Promise<string | null | StartFailure> {
  if (!spec.options.persistWorkspace) return null;
  try {
    const found = await prepareWorkspace({
      workspacesDir: context.workspacesDir,
      jobId: spec.jobId,
      resumeFrom: spec.resumeFrom,
    });
    if (found.kind === 'ready') return found.dir;
    const detail = found.why ?? 'nothing of it was ever kept here; workspaces are never uploaded';
    const facts = { workspace: found.previous, detail };
    return { reason: reason('workspace_recovery_unavailable', facts), exitCode: 0 };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { reason: reason('workspace_failed', { detail: code ?? message }), exitCode: 0 };
  }
}
