/**
 * Seeded random host jobs on the built host: children, ignored signals, torn lines, giant events, late results, halts,
 * killed workers, and now and then a killed host. Counts wrong verdicts, living processes and directories left.
 */
import { readFile } from 'node:fs/promises';
import { systemClock } from '../../runner-core/system.ts';
import { chaosPlan, type ChaosPlan, type End } from './chaos-plan.ts';
import type { PlaneExecution } from '../../main/cli/plane-client.ts';
import { DOUBLE, HostExecGround, type StoredEnd } from './ground.ts';

export interface HostChaosTotal {
  readonly runs: number;
  readonly wrong_verdicts: number;
  readonly survivors: number;
  readonly leaked_directories: number;
  readonly failed_seeds: readonly number[];
}

export interface HostChaosOptions {
  readonly runs: number;
  readonly seed: number;
  readonly lanes: number;
  readonly say: (line: string) => void;
}

const PROFILES = [
  { name: 'calm', executable: DOUBLE, timeout_seconds: 120, linger_seconds: 1 },
  { name: 'short', executable: DOUBLE, timeout_seconds: 2, linger_seconds: 1 },
  {
    name: 'counted',
    executable: DOUBLE,
    timeout_seconds: 120,
    linger_seconds: 1,
    lingered_is_success: true,
  },
];
/** One of so many runs is a host that is killed with jobs at work. */
const HOST_KILL_EVERY = 25;
/** A halt takes no longer to come here. */
const CROSSING_MS = 1_000;
const ENDS_WITHIN_MS = 90_000;
const SEEN_WITHIN_MS = 30_000;

export async function runHostChaos(options: HostChaosOptions): Promise<HostChaosTotal> {
  const { runs, seed, lanes, say } = options;
  const ground = await HostExecGround.open({ profiles: PROFILES, concurrency: lanes });
  const ids: string[] = [];
  const failed = new Set<number>();
  const settle = (plan: Pick<ChaosPlan, 'seed' | 'what'>, problem: string | null): void => {
    say(`seed ${plan.seed} ${problem === null ? 'ok' : `FAILED (${problem})`}: ${plan.what}`);
    if (problem !== null) failed.add(plan.seed);
  };
  try {
    const kills = Math.floor(runs / HOST_KILL_EVERY);
    const seeds = Array.from({ length: runs - kills }, (_, index) => seed + index).values();
    const lane = async (): Promise<void> => {
      for (const each of seeds) {
        const plan = chaosPlan(each);
        settle(plan, await oneRun(ground, plan, ids));
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    for (let index = 0; index < kills; index++) {
      const plan = { seed: seed + runs - kills + index, what: 'the host is killed' };
      settle(plan, await hostKilled(ground, plan.seed, ids));
    }
    const leaked = await ground.leakedDirectories();
    return {
      runs,
      wrong_verdicts: failed.size,
      survivors: await ground.survivors(ids),
      leaked_directories: leaked.length + ground.notedLeftovers(),
      failed_seeds: [...failed].sort((a, b) => a - b),
    };
  } finally {
    await ground.close();
  }
}

/** What is wrong with its end; null for nothing. */
async function oneRun(
  ground: HostExecGround,
  plan: ChaosPlan,
  ids: string[],
): Promise<string | null> {
  const id = await ground.submit({
    host_exec_profile: plan.profile,
    prompt: `play ${JSON.stringify(plan.steps)}`,
  });
  ids.push(id);
  await interfere(ground, plan, id);
  return wrong(ground, id, plan.ends);
}

async function interfere(ground: HostExecGround, plan: ChaosPlan, id: string): Promise<void> {
  const { interference, afterSteps } = plan;
  if (interference === 'none') return;
  if (interference === 'halt_at_once') return ground.stopJob(id);
  await ground.saw(id, ({ what }) => what === 'exit' || what === 'step', SEEN_WITHIN_MS);
  const untilMs = systemClock.monotonicMs() + SEEN_WITHIN_MS;
  for (;;) {
    const seen = await ground.receipts(id);
    const steps = seen.filter(({ what }) => what === 'step').length;
    if (steps >= afterSteps || seen.some(({ what }) => what === 'exit')) break;
    if (systemClock.monotonicMs() >= untilMs) break;
    await systemClock.wait(20);
  }
  if (interference === 'halt') await ground.stopJob(id).catch(() => undefined);
  else await killWorkerOf(ground, id);
}

async function wrong(
  ground: HostExecGround,
  id: string,
  ends: readonly End[],
): Promise<string | null> {
  const execution = await ground.ended(id, ENDS_WITHIN_MS);
  if (execution === null) return 'no end';
  const stored = await ground.stored(id, ENDS_WITHIN_MS);
  // A job that was stopped before it came here is not known here.
  const told = stored ?? { status: execution.status, code: 'stopped_by_service', endedAtMs: null };
  const shown = execution.status === 'CANCELLED' ? 'STOPPED' : execution.status;
  const isRight = ends.some(
    ({ status, code }) =>
      (shown === status || hasCrossed(execution, told)) &&
      told.status === status &&
      told.code === code,
  );
  const alive = await ground.survivors([id]);
  if (alive > 0) return `${alive} processes alive after the end`;
  if (isRight) return null;
  const halt = execution.stop_requested_at ?? 'never';
  const ended = told.endedAtMs === null ? 'never' : new Date(told.endedAtMs).toISOString();
  return `${execution.status}, halted ${halt}; here ${told.status} ${told.code ?? ''}, ended ${ended}; ${id}`;
}

/** The service took its halt on while the end was on its way: each side has what was true when it wrote. */
function hasCrossed(
  { status, stop_requested_at: halt }: PlaneExecution,
  { endedAtMs }: Pick<StoredEnd, 'endedAtMs'>,
): boolean {
  if (status !== 'STOPPED' || typeof halt !== 'string' || endedAtMs === null) return false;
  return endedAtMs <= Date.parse(halt) + CROSSING_MS;
}

/** The worker is the parent of the command it started. */
async function killWorkerOf(ground: HostExecGround, id: string): Promise<void> {
  const start = (await ground.receipts(id)).find(({ what }) => what === 'start');
  const worker = start === undefined ? null : await parentOf(start.pid);
  if (worker !== null) process.kill(worker, 'SIGKILL');
}

/** Null where it is gone, or is already the child of somebody else. */
async function parentOf(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (stat === null) return null;
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  const command = await readFile(`/proc/${parent}/cmdline`, 'latin1').catch(() => '');
  return command.includes('worker') ? parent : null;
}

/** Two jobs at work, one with a child that hears no signal and left the group. Every other time their workers die too. */
async function hostKilled(
  ground: HostExecGround,
  seed: number,
  ids: string[],
): Promise<string | null> {
  const plays = [
    [{ init: true }, { child: 'deaf_session' }, { child: 'holds' }, { hang: true }],
    [{ ignore: ['SIGTERM'] }, { init: true }, { hang: true }],
  ];
  const started: string[] = [];
  for (const steps of plays)
    started.push(
      await ground.submit({ host_exec_profile: 'calm', prompt: `play ${JSON.stringify(steps)}` }),
    );
  ids.push(...started);
  for (const id of started)
    if (!(await ground.saw(id, ({ step }) => step === 'init', SEEN_WITHIN_MS)))
      return 'not started';
  const { child } = ground.host;
  if (seed % 2 === 0) {
    // Stopped first, so that it neither sees its workers die nor tells of it.
    child.kill('SIGSTOP');
    for (const id of started) await killWorkerOf(ground, id);
  }
  const gone = new Promise((resolve) => void child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
  await ground.start();
  const ends = [{ status: 'FAILED', code: 'host_restarted' }] as const;
  for (const id of started) {
    const problem = await wrong(ground, id, ends);
    if (problem !== null) return problem;
  }
  return null;
}
