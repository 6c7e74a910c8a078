/**
 * What a host costs that is online and has nothing to do, with no page open: processor, memory, and how often
 * anything in it wakes it. Measured twice side by side: a host as it is, by what the kernel counts, and one with a
 * probe inside that notes each timer, whose own cost must not count.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { startHostProcess } from '../host-process.ts';
import type { BenchOptions, BenchResult } from './bench-result.ts';
import { startPlaneOfBench } from './plane-process.ts';
import { startProbedHost } from './probed-host.ts';
import { memoryMib, peakMemoryMib, processorMs, wakeUps } from './processes.ts';

const SECONDS = 600;
/** What a start leaves to do is over by then: a spare worker, the check of the database, the first sweep. */
const SETTLE_MS = 45_000;
const LIMIT = {
  processor_percent: 0.3,
  host_memory_mib: 120,
  shortest_timer_ms: 5_000,
} as const;
/** A timer may not fire early, but the clock it is read by is another. */
const TIMER_ERROR_MS = 5;

const timersSchema = z.array(
  z.object({ by: z.string(), fires: z.number(), shortestMs: z.number().nullable() }),
);

export async function run({ seconds = SECONDS }: BenchOptions): Promise<BenchResult> {
  const plane = await startPlaneOfBench();
  const options = {
    args: ['--server', plane.url],
    environment: { PRELOOP_TOKEN: plane.ownerToken },
  };
  const host = await startHostProcess(options);
  const probed = await startProbedHost('timer-probe.mjs', timersSchema, options);
  const pid = host.child.pid ?? Number.NaN;
  try {
    await sleep(SETTLE_MS);
    await probed.mark();
    const [cpuBefore, wakesBefore] = await Promise.all([processorMs(pid), wakeUps(pid)]);
    const begunMs = performance.now();
    await sleep(seconds * 1_000);
    const tookMs = performance.now() - begunMs;
    const [cpuAfter, wakesAfter] = await Promise.all([processorMs(pid), wakeUps(pid)]);
    const [atRest, atMost] = await Promise.all([memoryMib(pid), peakMemoryMib(pid)]);
    const timers = await probed.mark();

    for (const { by, fires, shortestMs } of timers)
      console.log(`${String(fires).padStart(5)} fired, ${nearest(shortestMs)} apart: ${by}`);
    const percent = ((cpuAfter - cpuBefore) / tookMs) * 100;
    const shortestMs = Math.min(...timers.map((timer) => timer.shortestMs ?? tookMs), tookMs);
    const perMinute = 60_000 / tookMs;
    const metrics = {
      seconds,
      processor_percent: percent,
      host_memory_mib: atRest,
      host_memory_mib_max: atMost,
      shortest_timer_ms: shortestMs,
      timers_per_minute: timers.reduce((total, { fires }) => total + fires, 0) * perMinute,
      wake_ups_per_minute: (wakesAfter - wakesBefore) * perMinute,
    };
    return {
      bench: 'idle',
      metrics,
      limit: LIMIT,
      ratio: percent / LIMIT.processor_percent,
      pass:
        percent <= LIMIT.processor_percent &&
        atRest <= LIMIT.host_memory_mib &&
        shortestMs >= LIMIT.shortest_timer_ms - TIMER_ERROR_MS,
    };
  } finally {
    await probed.stop();
    await host.stop();
    await plane.stop();
  }
}

function nearest(shortestMs: number | null): string {
  return shortestMs === null ? 'never twice' : `at least ${(shortestMs / 1_000).toFixed(1)} s`;
}
