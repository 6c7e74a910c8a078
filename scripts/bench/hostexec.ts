/**
 * A local command that prints 200 MB of events, one of them 50 MB long: whether its verdict is right, and how much memory
 * that takes of the host and of the worker that reads it. Linux only.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../runner-core/system.ts';
import { DOUBLE, HostExecGround } from '../host-exec/ground.ts';
import type { BenchResult } from './bench-result.ts';
import { memoryMib, peakMemoryMib } from './processes.ts';

const MEGABYTE = 1_000_000;
const GIANT_BYTES = 50 * MEGABYTE;
const LINE_BYTES = 1_000;
const LINES = 75_000;
const MOST_RISE_MB = 64;
const LOOK_EVERY_MS = 25;
const RUNS_WITHIN_MS = 180_000;
const GO = 'go';

export async function run(): Promise<BenchResult> {
  const profile = { name: 'bench', executable: DOUBLE, timeout_seconds: 600 };
  const ground = await HostExecGround.open({ profiles: [profile], concurrency: 1 });
  try {
    // The first job of a host, of 20 MB, makes what every later one finds made.
    await play(ground, [
      { init: true },
      { lines: { count: 20_000, bytes: LINE_BYTES } },
      { result: true },
    ]);
    const lines = { lines: { count: LINES, bytes: LINE_BYTES } };
    const steps = [
      { init: true },
      { wait_for: GO },
      lines,
      { giant: { bytes: GIANT_BYTES } },
      lines,
    ];
    const measured = await play(ground, [...steps, { result: true }]);
    const { verdict, hostRise, workerRise, seconds, lines: told } = measured;
    const [hostMb, workerMb] = [hostRise, workerRise].map((mib) => (mib * 2 ** 20) / MEGABYTE);
    // Each for itself: the worker is a process of one job, and gone with it.
    const ratio = Math.max(hostMb ?? Number.NaN, workerMb ?? Number.NaN) / MOST_RISE_MB;
    const isRight = verdict === 'SUCCEEDED' && told >= 2 * LINES + 3;
    return {
      bench: 'hostexec',
      metrics: {
        right_verdict: isRight ? 1 : 0,
        stream_mb: Math.round((2 * LINES * (LINE_BYTES + 150) + GIANT_BYTES) / MEGABYTE),
        host_memory_rise_mb: hostMb ?? Number.NaN,
        worker_memory_rise_mb: workerMb ?? Number.NaN,
        seconds,
      },
      limit: {
        host_memory_rise_mb: MOST_RISE_MB,
        worker_memory_rise_mb: MOST_RISE_MB,
        right_verdict: 1,
      },
      ratio,
      pass: isRight && ratio <= 1,
    };
  } finally {
    await ground.close();
  }
}

interface Measured {
  readonly verdict: string;
  readonly hostRise: number;
  readonly workerRise: number;
  readonly seconds: number;
  readonly lines: number;
}

/** Memory is counted from where the command has started and printed nothing yet. */
async function play(ground: HostExecGround, steps: readonly object[]): Promise<Measured> {
  const id = await ground.submit({
    host_exec_profile: 'bench',
    prompt: `play ${JSON.stringify(steps)}`,
  });
  await ground.saw(id, ({ step }) => step === 'init', RUNS_WITHIN_MS);
  const start = (await ground.receipts(id)).find(({ what }) => what === 'start');
  const hostPid = ground.host.child.pid ?? 0;
  const workerPid = await parentOf(start?.pid ?? 0);
  const [host, worker] = await Promise.all([memoryMib(hostPid), memoryMib(workerPid)]);
  await Promise.all([resetPeak(hostPid), resetPeak(workerPid)]);
  const startedMs = systemClock.monotonicMs();
  await writeFile(join(start?.cwd ?? ground.folder, GO), '');
  let workerPeak = worker;
  const ended = ground.ended(id, RUNS_WITHIN_MS);
  const over = new AbortController();
  void ended.then(() => over.abort());
  while (!over.signal.aborted) {
    const peak = await peakMemoryMib(workerPid);
    if (!Number.isNaN(peak)) workerPeak = peak;
    await systemClock.wait(LOOK_EVERY_MS);
  }
  const execution = await ended;
  return {
    verdict: execution?.status ?? 'NOT ENDED',
    hostRise: (await peakMemoryMib(hostPid)) - host,
    workerRise: workerPeak - worker,
    seconds: (systemClock.monotonicMs() - startedMs) / 1_000,
    lines: execution?.log_line_count ?? 0,
  };
}

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** The kernel's own way to begin the peak anew. */
async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
}
