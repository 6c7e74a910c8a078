/** What one run does, all of it decided by the seed: its jobs, and what is broken when and for how long. */
import { MOST_WORKERS_LOST } from '../../runner-core/listener/job-run.ts';
import { Chance } from './chance.ts';
import { printingMs, type Ending, type NumberedJob } from './numbered-job.ts';

export type BreakKind =
  'host_killed' | 'worker_killed' | 'socket_cut' | 'plane_killed' | 'engine_paused';

export interface Break {
  readonly kind: BreakKind;
  /** What `atMs` is counted from: the first submission, or the start of the run's first container. */
  readonly since: 'submission' | 'start';
  readonly atMs: number;
  /** So long before it the host hears nothing of the service, which hears the host. */
  readonly deafMs: number;
  /** How long it stays broken; 0 where nothing has to be brought back, or at once. */
  readonly forMs: number;
  /** Which of several workers; a fraction. */
  readonly which: number;
}

export interface PlannedJob {
  readonly job: NumberedJob;
  readonly submitMs: number;
  /** The service is asked to stop it then; null for never. */
  readonly stopMs: number | null;
}

export interface Plan {
  readonly seed: number;
  readonly jobs: readonly PlannedJob[];
  /** In the order of their time. */
  readonly breaks: readonly Break[];
}

/** From a submission to the start of a container, on a machine that has little other work. */
const START_MS = 700;
const AFTER_MS = 300;
const LONGEST_DEAF_MS = 300;
const LONGEST_SUBMIT_MS = 400;
/** A hosted service tells of a stop with the next heartbeat or the next connection; the latter comes after this. */
const STOP_TOLD_MS = 150;

/** No more than the workers that a job outlives: each of them may hit the same job. */
const MOST_BREAKS = MOST_WORKERS_LOST;

const KINDS: readonly (readonly [BreakKind, number])[] = [
  ['host_killed', 4],
  ['worker_killed', 3],
  ['socket_cut', 2],
  ['plane_killed', 2],
  ['engine_paused', 2],
];
const ENDINGS: readonly (readonly [Ending, number])[] = [
  ['success', 6],
  ['exit_code', 2],
  ['failure_reported', 1],
  ['no_report', 1],
];
const LONGEST_MS: Readonly<Record<BreakKind, number>> = {
  host_killed: 300,
  worker_killed: 0,
  socket_cut: 600,
  plane_killed: 500,
  engine_paused: 1_200,
};
/** Below and above what the engine cuts (16 KiB) and what the service is sent of a line (64 KiB). */
const LONG_CHARS: readonly (readonly [number, number])[] = [
  [16_000, 1],
  [16_384, 2],
  [40_000, 2],
  [90_000, 2],
];

export function planOf(seed: number): Plan {
  const chance = new Chance(seed);
  const jobs = Array.from({ length: chance.integer('jobs', 2, 4) }, (_, index) =>
    jobOf(chance, index),
  );
  const lastMs = Math.max(...jobs.map(({ job, submitMs }) => submitMs + printingMs(job)));
  const breaks = Array.from({ length: chance.integer('breaks', 1, MOST_BREAKS) }, (_, index) =>
    breakOf(chance, index, lastMs + AFTER_MS),
  );
  const stops = jobs.flatMap(({ stopMs }) => (stopMs === null ? [] : [stopMs]));
  for (const stopMs of stops)
    breaks.push({
      kind: 'socket_cut',
      since: 'submission',
      atMs: stopMs + STOP_TOLD_MS,
      deafMs: 0,
      forMs: 0,
      which: 0,
    });
  return { seed, jobs, breaks: breaks.toSorted((a, b) => a.atMs - b.atMs) };
}

function jobOf(chance: Chance, index: number): PlannedJob {
  const of = (name: string): string => `job ${index} ${name}`;
  const isStopped = chance.happens(of('is stopped'), 0.12);
  const burst = chance.pick(of('burst'), [
    [1, 1],
    [10, 2],
    [100, 2],
  ]);
  const bursts = chance.integer(of('bursts'), 5, 15);
  const pauseMs = chance.integer(of('pause'), 20, 100);
  const out = burst * bursts + chance.integer(of('rest'), 0, burst - 1);
  const job: NumberedJob = {
    ending: chance.pick(of('ending'), ENDINGS),
    lines: { out, err: Math.floor(out * chance.fraction(of('err'))) },
    burst,
    pauseMs,
    longEvery: chance.happens(of('long'), 0.4) ? Math.max(3, Math.floor(out / 6)) : 0,
    longChars: chance.pick(of('long chars'), LONG_CHARS),
    isUnterminated: chance.happens(of('unterminated'), 0.5),
  };
  const submitMs = index === 0 ? 0 : chance.integer(of('submit'), 0, LONGEST_SUBMIT_MS);
  const stopMs = chance.integer(of('stop'), 0, START_MS + printingMs(job)) + submitMs + 1;
  return { job, submitMs, stopMs: isStopped ? stopMs : null };
}

/** @param withinMs how long the jobs go on after the start of the first */
function breakOf(chance: Chance, index: number, withinMs: number): Break {
  const of = (name: string): string => `break ${index} ${name}`;
  const kind = chance.pick(of('kind'), KINDS);
  const since = chance.happens(of('while printing'), 0.6) ? 'start' : 'submission';
  return {
    kind,
    since,
    atMs: chance.integer(of('at'), 0, since === 'start' ? withinMs : START_MS),
    deafMs: chance.happens(of('is deaf'), 0.5) ? chance.integer(of('deaf'), 1, LONGEST_DEAF_MS) : 0,
    forMs: chance.happens(of('is at once'), 0.4)
      ? 0
      : chance.integer(of('for'), 0, LONGEST_MS[kind]),
    which: chance.fraction(of('which')),
  };
}
