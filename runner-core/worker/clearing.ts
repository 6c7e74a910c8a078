/** Removes what a job made, in the order that lets each go. What cannot be removed now stays noted with the listener. */
import type { DockerEngine } from '../docker/docker-engine.ts';
import { LABEL, type Owner } from '../docker/labels.ts';
import { removeLeftover } from '../docker/leftover-remover.ts';
import type { Leftover } from '../model/leftover.ts';
import type { Clock } from '../ports.ts';
import { composeProjectName } from '../wire/launch.ts';

/** Things started through an allowed Docker socket, by the project name in the job's environment. */
export function composeLeftover(jobId: string): Leftover & { readonly kind: 'compose_project' } {
  return { kind: 'compose_project', name: composeProjectName(jobId) };
}

/** What a job made so far. */
export interface Made {
  readonly container: Leftover | null;
  /** Id of a network of ours that it joined. */
  readonly networkId: string | null;
  readonly mayHaveComposed: boolean;
}

/**
 * Never rejects: what the engine does not let go now stays noted. Resolves when all else is seen gone. A
 * network that another job still uses, or that is not ours after all, is left alone.
 */
export async function removeWhatWasMade(
  engine: DockerEngine,
  clock: Clock,
  jobId: string,
  { container, networkId, mayHaveComposed, owner }: Made & { readonly owner: Owner | null },
): Promise<void> {
  const first: Leftover[] = [
    ...(container === null ? [] : [container]),
    ...(mayHaveComposed ? [composeLeftover(jobId)] : []),
  ];
  const remove = (leftover: Leftover): Promise<void> =>
    removeLeftover(engine, clock, leftover, owner).catch(() => undefined);
  await Promise.all(first.map(remove));
  // Last, for a network goes only when no container uses it.
  if (networkId !== null) await remove({ kind: 'network', id: networkId, name: networkId });
}

/**
 * Removes containers of the job that nobody noted: a worker that was killed may have asked for one that came to be
 * afterwards. None of them was started. Never rejects.
 *
 * @param knownId the one that was noted
 */
export async function removeUnnoted(
  engine: DockerEngine,
  clock: Clock,
  jobId: string,
  knownId: string | null,
): Promise<void> {
  const found = await engine.containers({ [LABEL.execution]: jobId }).catch(() => []);
  const unnoted = found.filter(({ id, running }) => id !== knownId && !running);
  await Promise.all(
    unnoted.map(({ id, name }) =>
      removeLeftover(engine, clock, { kind: 'container', id, name }).catch(() => undefined),
    ),
  );
}
