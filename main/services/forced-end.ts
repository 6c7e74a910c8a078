/**
 * The quick end of a host that no later start takes up: its containers are killed at once, so that its ordinary stop,
 * already under way, has nothing left to wait for; what that leaves is removed. Each step has a limit.
 */
import type { Owned } from '../../runner-core/docker/leftover-remover.ts';
import { LABEL } from '../../runner-core/docker/labels.ts';
import { settledWithin } from '../../runner-core/listener/settled-within.ts';
import type { JobId } from '../../runner-core/model/ids.ts';
import type { JobSpec } from '../../runner-core/model/job-spec.ts';
import type { EngineLeftover } from '../../runner-core/model/leftover.ts';
import type {
  Clock,
  ContainerLeftover,
  JobStore,
  LeftoverRemover,
} from '../../runner-core/ports.ts';

/** For the stop to end once nothing runs: workers tell, verdicts are reported. */
export const ORDERLY_LIMIT_MS = 5_000;
/** For what is left then: a worker may have asked for a container just before. */
export const LAST_LOOK_MS = 2_000;

/** `things` null: the engine did not tell; `label` is what they carry. */
export type ForcedEnd =
  | { readonly kind: 'removed' }
  | {
      readonly kind: 'left';
      readonly things: readonly EngineLeftover[] | null;
      readonly label: string;
    };

export interface ForcedEndDeps {
  readonly clock: Clock;
  readonly engine: Pick<LeftoverRemover, 'remove'> & {
    kill(container: ContainerLeftover): Promise<void>;
    /** Null while there is no engine. */
    ofHost(hostInstance: string): Promise<Owned | null>;
  };
  readonly hostInstance: string;
  /** Of containers. With none, an engine that is away hides nothing. */
  readonly held: readonly JobId[];
  /** What jobs started through a socket of the engine carries no label of ours. */
  readonly projects: readonly EngineLeftover[];
  /** The ordinary stop. */
  readonly stopped: Promise<void>;
}

/** Those held that may have a container: a local command has none. */
export function dockerJobs(
  held: readonly { readonly job: { readonly spec: Pick<JobSpec, 'kind' | 'jobId'> } }[],
): readonly JobId[] {
  return held.flatMap(({ job: { spec } }) => (spec.kind === 'docker_launch' ? [spec.jobId] : []));
}

export function composeProjects(
  store: Pick<JobStore, 'leftovers'>,
  jobs: readonly JobId[],
): readonly EngineLeftover[] {
  return jobs
    .flatMap((jobId) => store.leftovers(jobId))
    .filter((leftover) => leftover.kind === 'compose_project');
}

const KINDS = ['container', 'compose_project', 'network'] as const;

/** Never rejects. */
export async function forceEnd(deps: ForcedEndDeps): Promise<ForcedEnd> {
  const { clock, engine, hostInstance, held, stopped } = deps;
  let left: readonly EngineLeftover[] | null = held.length === 0 ? [] : null;
  const look = async (): Promise<readonly EngineLeftover[]> => {
    const found = await engine.ofHost(hostInstance);
    if (found === null) return left ?? [];
    left = [...found.things.map(({ leftover }) => leftover), ...deps.projects];
    return left;
  };
  const killAll = async (): Promise<void> => {
    const containers = (await look()).filter((leftover) => leftover.kind === 'container');
    await Promise.allSettled(containers.map((container) => engine.kill(container)));
  };
  const removeAll = async (): Promise<void> => {
    const things = await look();
    // In turn: a network goes once no container uses it.
    for (const kind of KINDS) {
      const removals = things.map(async (leftover) => {
        if (leftover.kind !== kind) return;
        await engine.remove(leftover);
        left = left?.filter((other) => other !== leftover) ?? null;
      });
      await Promise.allSettled(removals);
    }
  };
  await settledWithin(clock, ORDERLY_LIMIT_MS, Promise.all([killAll(), stopped]));
  await settledWithin(clock, LAST_LOOK_MS, removeAll());
  return left?.length === 0
    ? { kind: 'removed' }
    : { kind: 'left', things: left, label: `${LABEL.host}=${hostInstance}` };
}
