/** The built product, broken at random moments of jobs at work. A failed seed is repeated by what is printed of it. */
import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { resolveEngine } from '../../runner-core/docker/docker-endpoint.ts';
import { endpointProbe } from '../../runner-core/docker/endpoint-probe.ts';
import { systemClock } from '../../runner-core/system.ts';
import { runChaos } from '../../scripts/chaos/run-chaos.ts';

const RUNS = process.env['LONG_TESTS'] === '1' ? 1_000 : 40;
const SEED = 1;
/** They wait more than they work. */
const LANES = 3;
/** For a machine that has much else to do; a free one needs a few seconds a run, LANES at a time. */
const LIMIT_MS = RUNS * 15_000;

test(
  `no line, verdict or container is lost, doubled or left over in ${RUNS} runs of broken hosts, workers, sockets, planes and engines`,
  { timeout: LIMIT_MS },
  async () => {
    const found = await resolveEngine(process.env, homedir(), process.platform, endpointProbe());
    if (!found.ok) throw new Error(found.failure.reason);
    const said: string[] = [];
    const total = await runChaos({
      runs: RUNS,
      seed: SEED,
      lanes: LANES,
      engine: found,
      // Other tests use the engine as well: it is stalled for ours alone.
      enginePause: null,
      clock: systemClock,
      say: (line) => void said.push(line),
    });
    const failed = total.failed_seeds.map((seed) => `npm run chaos -- --runs 1 --seed ${seed}`);
    expect(failed, said.join('\n')).toEqual([]);
    expect(total).toEqual({
      runs: RUNS,
      lost_lines: 0,
      doubled_lines: 0,
      lost_verdicts: 0,
      wrong_verdicts: 0,
      run_twice: 0,
      leftovers: 0,
      failed_seeds: [],
    });
  },
);
