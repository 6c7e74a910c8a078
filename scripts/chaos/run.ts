/** One run: submits its jobs, breaks what the plan says, waits until all has settled, and counts. */
import type { Clock } from '../../runner-core/ports.ts';
import { reasonText } from '../../runner-core/model/reason-text.ts';
import { reason } from '../../runner-core/model/reason.ts';
import type { Ground } from './ground.ts';
import { countLines, scriptOf, statusOf } from './numbered-job.ts';
import { planOf, type Break, type Plan, type PlannedJob } from './plan.ts';
import type { ExecutionRecord } from './plane-records.ts';

const IMAGE = process.env['PRELOOP_TEST_IMAGE'] ?? 'preloop-runner-host-test:bookworm';
/** An engine that was away at a host's start is looked for again after 10 s, and its jobs after 30 s. */
const SETTLE_LIMIT_MS = 120_000;
const LEFTOVER_LIMIT_MS = 45_000;
/** A job that is broken before its container started may never have one. */
const START_LIMIT_MS = 6_000;
const LOOK_EVERY_MS = 50;
const LEFTOVER_LOOK_MS = 250;
const TERMINAL = ['SUCCEEDED', 'FAILED', 'STOPPED'];
/** What the service is told of a job whose worker died. */
const WORKER_LOST = reasonText(reason('worker_crashed')).what;
/** What it is told of a job that was begun by a host that died before its container was started. */
const HOST_LOST = reasonText(reason('host_restarted')).what;

export interface Counts {
  readonly lost_lines: number;
  readonly doubled_lines: number;
  readonly lost_verdicts: number;
  readonly wrong_verdicts: number;
  readonly run_twice: number;
  readonly leftovers: number;
}

export interface RunResult {
  readonly seed: number;
  readonly counts: Counts;
  readonly isClean: boolean;
  readonly tookMs: number;
  /** What was broken, and when after the first submission, in words. */
  readonly breaks: readonly string[];
  /** Jobs that were reported as lost, and rightly: their worker was killed, or nothing of them ran yet. */
  readonly reportedLost: number;
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
  const problems: string[] = [];
  const { counts, reportedLost } = judge(ground, plan, jobs, left, problems);
  await ground.engine.removeAll(ids);
  return {
    seed,
    counts,
    isClean: Object.values(counts).every((count) => count === 0),
    tookMs: sinceMs(),
    breaks: broken.toSorted((a, b) => a.atMs - b.atMs).map(({ how }) => how),
    reportedLost,
    problems,
  };
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

function isSettled({ status, isLeased }: ExecutionRecord): boolean {
  return TERMINAL.includes(status) && !isLeased;
}

function judge(
  ground: Ground,
  plan: Plan,
  jobs: readonly Submitted[],
  left: readonly string[],
  problems: string[],
): Pick<RunResult, 'counts' | 'reportedLost'> {
  const counts = {
    lost_lines: 0,
    doubled_lines: 0,
    lost_verdicts: 0,
    wrong_verdicts: 0,
    run_twice: 0,
  };
  let reportedLost = 0;
  const hostsToBlame = plan.breaks.some(({ kind }) => kind === 'host_killed');
  let workersToBlame = plan.breaks.filter(({ kind }) => kind === 'worker_killed').length;
  const records = new Map(
    ground.records.executions(jobs.map(({ id }) => id)).map((record) => [record.id, record]),
  );
  for (const { id, job, wasStopped } of jobs) {
    const record = records.get(id);
    const say = (problem: string): void => void problems.push(`${id}: ${problem}`);
    if (record === undefined || !isSettled(record)) {
      counts.lost_verdicts += 1;
      say(
        `no verdict (${record?.status ?? 'unknown'}${record?.isLeased === true ? ', leased' : ''})`,
      );
      continue;
    }
    const { status, error } = record;
    const isStopped = wasStopped && status === 'STOPPED';
    const starts = ground.engine.startsOf(id);
    // A host that dies while it clears up after a dead worker knows no more than that the container is gone.
    const lostWorker = workersToBlame > 0 && [WORKER_LOST, HOST_LOST].includes(error);
    if (lostWorker) workersToBlame -= 1;
    // Nothing of it ran, so nothing could be adopted: settled with its reason.
    const stored = ground.records.lines(id);
    const neverBegan = error === HOST_LOST && hostsToBlame && starts === 0 && stored.length === 0;
    if (lostWorker || neverBegan) reportedLost += 1;
    const isWhole = !isStopped && !lostWorker && !neverBegan;
    if (isWhole && (status !== statusOf(job) || [WORKER_LOST, HOST_LOST].includes(error))) {
      counts.wrong_verdicts += 1;
      say(`${status} (${error}) in place of ${statusOf(job)} by ${job.ending}`);
    }
    const { lost, doubled, examples } = countLines(job, stored, isWhole);
    counts.lost_lines += lost;
    counts.doubled_lines += doubled;
    if (lost + doubled > 0) say(`${lost} lines lost, ${doubled} doubled; ${examples.join(', ')}`);
    if (starts > 1) {
      counts.run_twice += 1;
      say(`${starts} containers started`);
    }
  }
  problems.push(...left.map((each) => `left behind: ${each}`));
  return { counts: { ...counts, leftovers: left.length }, reportedLost };
}
