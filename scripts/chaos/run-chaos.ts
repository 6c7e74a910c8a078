/** Many runs, those of a lane one after the other on one ground, and their sum. */
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../runner-core/ports.ts';
import type { EngineInUse } from '../setup/ensure-engine.ts';
import { Ground, type EnginePause } from './ground.ts';
import type { Counts } from './judge.ts';
import { runOnce, type RunResult } from './run.ts';

export interface Total extends Counts {
  readonly runs: number;
  readonly failed_seeds: readonly number[];
}

export interface ChaosOptions {
  readonly runs: number;
  /** Of the first run; each next one has the next number. */
  readonly seed: number;
  /** So many at a time, each on a ground of its own. */
  readonly lanes: number;
  readonly engine: Pick<EngineInUse, 'address'>;
  readonly enginePause: EnginePause | null;
  readonly clock: Clock;
  readonly say: (line: string) => void;
}

const NOTHING: Counts = {
  lost_lines: 0,
  doubled_lines: 0,
  lost_verdicts: 0,
  wrong_verdicts: 0,
  run_twice: 0,
  leftovers: 0,
};

/** Prints each run as it ends. Throws when the ground itself gives way. */
export async function runChaos(options: ChaosOptions): Promise<Total> {
  const { runs, seed, lanes } = options;
  const seeds = Array.from({ length: runs }, (_, index) => seed + index).values();
  const results: RunResult[] = [];
  const done = (result: RunResult): void => {
    results.push(result);
    options.say(lineOf(result, results.length, runs));
    for (const problem of result.problems) options.say(`  ${problem}`);
  };
  const open = Array.from({ length: Math.min(lanes, runs) }, () => runLane(options, seeds, done));
  const ended = await Promise.allSettled(open);
  for (const lane of ended) if (lane.status === 'rejected') throw lane.reason;
  return totalOf(results);
}

/** Runs on one ground until no seed is left. */
async function runLane(
  { engine, enginePause, clock }: ChaosOptions,
  seeds: IterableIterator<number>,
  done: (result: RunResult) => void,
): Promise<void> {
  if (engine.address.kind !== 'socket') throw new Error('Chaos needs an engine on a socket file');
  const ground = await Ground.open({ engineSocket: engine.address.path, enginePause });
  try {
    for (const seed of seeds) {
      const result = await runOnce(ground, seed, clock);
      done(result.isClean ? result : { ...result, problems: await withLog(ground, result) });
    }
  } finally {
    await ground.close();
  }
}

/** The host's log goes with its ground: of a run that failed it is set aside. */
async function withLog(ground: Ground, { seed, problems }: RunResult): Promise<readonly string[]> {
  const kept = join(tmpdir(), `preloop-chaos-${seed}.log`);
  await copyFile(ground.hostLog, kept);
  return [...problems, `the host's log of this and earlier runs: ${kept}`];
}

export function totalOf(results: readonly RunResult[]): Total {
  const sum = (name: keyof Counts): number =>
    results.reduce((total, { counts }) => total + counts[name], 0);
  return {
    runs: results.length,
    ...NOTHING,
    lost_lines: sum('lost_lines'),
    doubled_lines: sum('doubled_lines'),
    lost_verdicts: sum('lost_verdicts'),
    wrong_verdicts: sum('wrong_verdicts'),
    run_twice: sum('run_twice'),
    leftovers: sum('leftovers'),
    failed_seeds: results.filter(({ isClean }) => !isClean).map(({ seed }) => seed),
  };
}

function lineOf(result: RunResult, run: number, runs: number): string {
  const { seed, isClean, tookMs, breaks } = result;
  const how = isClean ? 'ok' : 'FAILED';
  return `run ${run}/${runs} seed ${seed} ${how} in ${(tookMs / 1_000).toFixed(1)} s: ${breaks.join('; ')}`;
}
