/** One run: submits its jobs, breaks what the plan says, waits until all has settled, and counts. */
import type { Clock } from '../../runner-core/ports.ts';
import type { Ground } from './ground.ts';
import { isSettled, judge, type Counts, type JobRecord } from './judge.ts';
import { scriptOf } from './numbered-job.ts';
import { planOf, type Break, type PlannedJob } from './plan.ts';

const IMAGE = process.env['PRELOOP_TEST_IMAGE'] ?? 'preloop-runner-host-test:bookworm';
/** An engine that was away at a host's start is looked for again after 10 s, and its jobs after 30 s. */
const SETTLE_LIMIT_MS = 120_000;
const LEFTOVER_LIMIT_MS = 45_000;
/** A job that is broken before its container started may never have one. */
const START_LIMIT_MS = 6_000;
const LOOK_EVERY_MS = 50;
const LEFTOVER_LOOK_MS = 250;

export interface RunResult {
  readonly seed: number;
  readonly counts: Counts;
  readonly isClean: boolean;
  readonly tookMs: number;
  /** What was broken, and when after the first submission, in words. */
  readonly breaks: readonly string[];
  /** What is wrong, in words. */
  readonly problems: readonly string[];
}

export interface Submitted extends PlannedJob {
  readonly id: string;
  wasStopped: boolean;
}

export async function runOnce(ground: Ground, seed: number, clock: Clock): Promise<RunResult> {
  const plan = planOf(seed);
  const startMs = clock.monotonicMs();
  const sinceMs = (): number => clock.monotonicMs() - startMs;
  const until = (atMs: number): Promise<void> => clock.wait(Math.max(0, atMs - sinceMs()));
  const broken: { readonly atMs: number; readonly how: string }[] = [];
  const submit = async (planned: PlannedJob, index: number): Promise<Submitted> => {
    await until(planned.submitMs);
    const { id } = await insist(clock, () => ground.client.submit(definition(planned, index)));
    ids.push(id);
    const submitted = { ...planned, id, wasStopped: false };
    if (planned.stopMs !== null) {
      await until(planned.stopMs);
      submitted.wasStopped = true;
      await insist(clock, () => ground.client.stop(id));
    }
    return submitted;
  };
  const ids: string[] = [];
  const started = ground.engine.firstStart(ids);
  const breaking = plan.breaks.map(async (each) => {
    if (each.since === 'start') {
      await Promise.race([started, clock.wait(START_LIMIT_MS)]);
      await clock.wait(each.atMs);
    } else await until(each.atMs);
    const atMs = sinceMs() + each.deafMs;
    const how = await ground.break(each);
    broken.push({ atMs, how: `${wordsOf(each, atMs)} (${how})` });
  });
  const [jobs] = await Promise.all([Promise.all(plan.jobs.map(submit)), Promise.all(breaking)]);
  await ground.online();
  const left = await settle(ground, jobs, clock);
  const { counts, problems } = judge(recordsOf(ground, jobs), left);
  await ground.engine.removeAll(ids);
  return {
    seed,
    counts,
    isClean: problems.length === 0,
    tookMs: sinceMs(),
    breaks: broken.toSorted((a, b) => a.atMs - b.atMs).map(({ how }) => how),
    problems,
  };
}

function recordsOf(ground: Ground, jobs: readonly Submitted[]): readonly JobRecord[] {
  const executions = ground.records.executions(jobs.map(({ id }) => id));
  return jobs.map(({ id, job, wasStopped }) => ({
    id,
    job,
    wasStopped,
    execution: executions.find((each) => each.id === id),
    lines: ground.records.lines(id),
    starts: ground.engine.startsOf(id),
  }));
}

function wordsOf({ kind, deafMs, forMs }: Break, atMs: number): string {
  const deaf = deafMs === 0 ? '' : `, ${deafMs} ms after the last answer`;
  return `${kind} at ${(atMs / 1_000).toFixed(3)} s for ${forMs} ms${deaf}`;
}

function definition({ job }: PlannedJob, index: number): Record<string, unknown> {
  return { name: `chaos ${index}`, agent_type: 'codex', image: IMAGE, script: scriptOf(job) };
}

/** The plane may be away at this moment; a request it took and could not answer is told apart by nobody, so only idempotent ones are safe. */
async function insist<T>(clock: Clock, ask: () => Promise<T>): Promise<T> {
  const endMs = clock.monotonicMs() + SETTLE_LIMIT_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (clock.monotonicMs() > endMs) throw error;
      await clock.wait(LOOK_EVERY_MS);
    }
  }
}

/** Waits for every verdict and for nothing to be left; gives back what is left at the limit. */
async function settle(
  ground: Ground,
  jobs: readonly Submitted[],
  clock: Clock,
): Promise<readonly string[]> {
  const ids = jobs.map(({ id }) => id);
  const verdictsMs = clock.monotonicMs() + SETTLE_LIMIT_MS;
  while (clock.monotonicMs() < verdictsMs && !ground.records.executions(ids).every(isSettled))
    await clock.wait(LOOK_EVERY_MS);
  const goneMs = clock.monotonicMs() + LEFTOVER_LIMIT_MS;
  for (;;) {
    const left = [...(await ground.engine.leftovers(ids)), ...(await ground.strayWorkers())];
    if (left.length === 0 || clock.monotonicMs() >= goneMs) return left;
    await clock.wait(LEFTOVER_LOOK_MS);
  }
}
