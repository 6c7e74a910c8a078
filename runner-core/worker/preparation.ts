/** All that has to be there before a job's container can be created: permission, image, network, workspace. */
import { isEngineError, type DockerEngine } from '../docker/docker-engine.ts';
import { LABEL, labelsOf } from '../docker/labels.ts';
import type { RegistryLookup } from '../docker/registry-auth.ts';
import { reason } from '../model/reason.ts';
import type { DockerLaunchSpec } from '../model/job-spec.ts';
import type { Clock } from '../ports.ts';
import { pullImage } from './image-supply.ts';
import { isNamedNetwork, refusedOption } from './option-check.ts';
import type { JobContext } from './protocol.ts';
import type { JobReport } from './executor.ts';
import { engineAway, isEngineAway, type StartFailure } from './start-failure.ts';
import { prepareWorkspace } from './workspace.ts';

export interface Preparation {
  readonly spec: DockerLaunchSpec;
  readonly context: JobContext;
  readonly engine: DockerEngine;
  readonly clock: Clock;
  readonly report: JobReport;
  readonly credentialsFor: (image: string) => Promise<RegistryLookup>;
  readonly signal: AbortSignal;
}
export type Prepared =
  /** `network`: one of ours, to be removed with the job. */
  | {
      readonly kind: 'prepared';
      readonly workspaceDir: string | null;
      readonly network: string | null;
    }
  | { readonly kind: 'refused'; readonly failure: StartFailure };

/** Rejects with the signal's reason when aborted, and with EngineError when the engine is away. */
export async function prepareJob(job: Preparation): Promise<Prepared> {
  const { spec, context, engine, signal } = job;
  const { network } = spec.options;
  const early = refusedOption(spec.options, context.allowed, false);
  if (early !== null) return refused({ reason: early, exitCode: 0 });
  const [image, joined] = await abortable(
    Promise.all([
      engine.image(spec.image),
      isNamedNetwork(network) ? engine.network(network) : undefined,
    ]),
    signal,
  );
  const isForeign = joined !== undefined && joined.labels[LABEL.execution] === undefined;
  const refusal = refusedOption(spec.options, context.allowed, isForeign);
  if (refusal !== null) return refused({ reason: refusal, exitCode: 0 });
  const workspace = await abortable(keptWorkspace(job), signal);
  if (typeof workspace === 'object' && workspace !== null) return refused(workspace);
  if (image === undefined) {
    const failure = await pullImage(spec.image, {
      ...job,
      progress: (text) => job.report.phase('pulling', text),
    });
    if (failure !== null) return refused({ reason: failure, exitCode: 0 });
  }
  if (!isNamedNetwork(network) || isForeign)
    return { kind: 'prepared', workspaceDir: workspace, network: null };
  const failure = await networkReady(job, network, joined?.id);
  return failure === null
    ? { kind: 'prepared', workspaceDir: workspace, network }
    : refused(failure);
}

const refused = (failure: StartFailure): Prepared => ({ kind: 'refused', failure });

/**
 * Makes the network, or joins one that another job of ours made; noted either way, so that the last of
 * them removes it. Null when it is there now.
 */
export async function networkReady(
  { spec, context, engine, report }: Pick<Preparation, 'spec' | 'context' | 'engine' | 'report'>,
  name: string,
  knownId: string | undefined,
): Promise<StartFailure | null> {
  try {
    const id = knownId ?? (await createOrFind(engine, name, { spec, context }));
    // Not waited for: the container is noted later, on the same ordered line, and waited for then.
    report.made({ kind: 'network', id, name }).catch(() => undefined);
    return null;
  } catch (error) {
    if (!isEngineError(error)) throw error;
    if (isEngineAway(error)) return engineAway(error.message);
    const facts = { network: name, detail: error.message };
    return { reason: reason('network_failed', facts), exitCode: 0 };
  }
}

async function createOrFind(
  engine: DockerEngine,
  name: string,
  { spec, context }: Pick<Preparation, 'spec' | 'context'>,
): Promise<string> {
  try {
    return await engine.createNetwork(
      name,
      labelsOf({
        jobId: spec.jobId,
        runnerId: context.runnerId,
        hostInstance: context.hostInstance,
        kind: spec.kind,
        agentType: spec.agentType,
      }),
    );
  } catch (error) {
    // Another job made it since we looked.
    const found = isEngineError(error, 'conflict') ? await engine.network(name) : undefined;
    if (found === undefined) throw error;
    return found.id;
  }
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

/** The promise, or the signal's reason as soon as it is aborted; the work then goes on unheard. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    promise.catch(() => undefined);
  }
}
