/**
 * What is known of a run that several workers carried out, one after the other: the next one took its
 * container up and tells only of its own time. Pure.
 */
import type { PhaseStart, RunFacts } from './protocol.ts';

/** `told` by a worker, on top of what was `known`: earlier phases and peaks stay. */
export function joinedFacts(known: RunFacts | null, told: RunFacts): RunFacts {
  if (known === null) return told;
  return {
    ...told,
    containerId: told.containerId ?? known.containerId,
    imageId: told.imageId ?? known.imageId,
    limits: told.limits ?? known.limits,
    peakMemoryBytes: most(known.peakMemoryBytes, told.peakMemoryBytes),
    // Counted by the engine since the container's start, whoever asks.
    cpuMs: most(known.cpuMs, told.cpuMs),
    phases: joinedPhases(known.phases, told.phases),
  };
}

/** A worker's list only grows, so its first entry marks where in the known list its own time begins. */
function joinedPhases(
  known: readonly PhaseStart[],
  told: readonly PhaseStart[],
): readonly PhaseStart[] {
  const [first] = told;
  if (first === undefined) return known;
  const begin = known.findIndex(({ phase, atMs }) => phase === first.phase && atMs === first.atMs);
  return [...(begin === -1 ? known : known.slice(0, begin)), ...told];
}

function most(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
