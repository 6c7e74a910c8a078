/**
 * Breaks the built product at random moments of jobs at work, and counts what was lost. Owns the flags and what is
 * printed; the runs are in `chaos/`. `--seed S --runs 1` repeats one run: the first of N has the seed S, the next S + 1.
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../runner-core/system.ts';
import { runHostChaos } from './host-exec/chaos.ts';
import { EngineProcessPause } from './chaos/engine-process-pause.ts';
import { runChaos } from './chaos/run-chaos.ts';
import { readCommandFlags } from './setup/command-flags.ts';
import { runEntry } from './setup/say.mjs';
import { withEngine } from './setup/with-engine.ts';

const OK = 0;
const SOMETHING_LOST = 1;
const NOT_UNDERSTOOD = 2;
const USAGE = `Usage: npm run chaos -- [--runs N] [--seed S] [--lanes L] [--host-exec] [--json]

  --runs N   this many runs (default 40)
  --seed S   of the first run; the others count up from it (default: by the clock)
  --lanes L  this many runs at a time (default 2; local commands 6)
  --json     one line of JSON at the end
  --host-exec  jobs that run a local command instead of containers; needs no engine
`;

interface Flags {
  readonly runs: number;
  readonly seed: number;
  readonly lanes: number;
  readonly asJson: boolean;
  readonly hostExec: boolean;
}

const { standIn, rest } = readCommandFlags(process.argv.slice(2));

await runEntry(async () => {
  const flags = readFlags(rest);
  if (flags === undefined) {
    console.error(USAGE);
    return NOT_UNDERSTOOD;
  }
  if (flags.hostExec) {
    const total = await runHostChaos({ ...flags, say: console.log });
    if (flags.asJson) console.log(JSON.stringify(total));
    const { wrong_verdicts, survivors, leaked_directories } = total;
    return wrong_verdicts + survivors + leaked_directories === 0 ? OK : SOMETHING_LOST;
  }
  return withEngine(standIn, async (engine) => {
    const total = await runChaos({
      ...flags,
      engine,
      enginePause: new EngineProcessPause(() => engine.soleProcess()),
      clock: systemClock,
      say: console.log,
    });
    if (flags.asJson) console.log(JSON.stringify(total));
    return total.failed_seeds.length === 0 ? OK : SOMETHING_LOST;
  });
});

function readFlags(args: readonly string[]): Flags | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        runs: { type: 'string', default: '40' },
        seed: { type: 'string', default: String(systemClock.nowMs() % 1_000_000) },
        lanes: { type: 'string' },
        json: { type: 'boolean', default: false },
        'host-exec': { type: 'boolean', default: false },
      },
    });
    const [runs, seed, lanes] = [
      values.runs,
      values.seed,
      // Commands mostly wait; containers need the engine.
      values.lanes ?? (values['host-exec'] ? '6' : '2'),
    ].map(wholeNumber);
    if (runs === undefined || seed === undefined || lanes === undefined) return undefined;
    if (runs === 0 || lanes === 0) return undefined;
    return { runs, seed, lanes, asJson: values.json, hostExec: values['host-exec'] };
  } catch {
    return undefined;
  }
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
