/**
 * As many jobs as a host may have, all printing at once for a minute: that each line is acknowledged and heartbeats
 * stay on time, and what it costs the host and its workers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PlaneClient } from '../../main/cli/plane-client.ts';
import { dataPaths } from '../../main/data-dir.ts';
import { PlaneRecords } from '../chaos/plane-records.ts';
import { workersOf } from '../chaos/processes.ts';
import type { BenchOptions, BenchResult } from './bench-result.ts';
import { printPaced, WRITE_REPORT } from './chatty-job.ts';
import { HeartbeatWatch } from './heartbeat-watch.ts';
import { startMeasuredHost, type MeasuredHost } from './measured-host.ts';
import { peakMemoryMib } from './processes.ts';

const IMAGE = 'preloop-runner-host-test:bookworm';
const JOBS = 32;
const SECONDS = 60;
const LINES_PER_SECOND = 1_000;
const WRITES_PER_SECOND = 20;
const MEGABYTE = 1024 * 1024;
const LOOK_MS = 1_000;
const LIMIT = {
  loop_delay_p99_ms: 50,
  host_memory_mib: 200,
  worker_memory_mib: 90,
  heartbeat_off_by_ms: 1_000,
  lines_missing: 0,
} as const;

export async function run({ jobs = JOBS, seconds = SECONDS }: BenchOptions): Promise<BenchResult> {
  const lines = seconds * LINES_PER_SECOND;
  const host = await startMeasuredHost(['--concurrency', String(jobs)]);
  const { planeDir } = dataPaths(host.dataDir);
  const records = new PlaneRecords(planeDir);
  let heartbeats: HeartbeatWatch | undefined;
  let workers: WorkerWatch | undefined;
  try {
    const client = await PlaneClient.of(planeDir);
    heartbeats = await HeartbeatWatch.start(planeDir);
    workers = new WorkerWatch(host);
    await host.mark();
    const begunMs = performance.now();
    const ids = await Promise.all(Array.from({ length: jobs }, () => submit(client, lines)));
    await Promise.all(ids.map((id) => host.line(new RegExp(`${id.slice(0, 8)} reported`))));
    const wallMs = performance.now() - begunMs;
    const { p99Ms, maxMs, peakRssBytes, cpuMs } = await host.mark();
    const worstBeatMs = await heartbeats.worstDeviation();
    const workerMib = await workers.stop();

    const executions = records.executions(ids);
    const succeeded = executions.filter(({ status }) => status === 'SUCCEEDED').length;
    const acknowledged = ids.reduce((total, id) => total + records.lineCount(id), 0);
    const hostMib = peakRssBytes / MEGABYTE;
    const metrics = {
      jobs,
      lines_each: lines,
      wall_ms: wallMs,
      succeeded,
      lines_missing: jobs * lines - acknowledged,
      heartbeat_off_by_ms_max: worstBeatMs,
      loop_delay_p99_ms: p99Ms,
      loop_delay_max_ms: maxMs,
      host_memory_mib_max: hostMib,
      worker_memory_mib_max: workerMib,
      host_cpu_ms: cpuMs,
    };
    return {
      bench: 'fleet',
      metrics,
      limit: LIMIT,
      ratio: p99Ms / LIMIT.loop_delay_p99_ms,
      pass:
        succeeded === jobs &&
        metrics.lines_missing === LIMIT.lines_missing &&
        worstBeatMs <= LIMIT.heartbeat_off_by_ms &&
        p99Ms <= LIMIT.loop_delay_p99_ms &&
        hostMib <= LIMIT.host_memory_mib &&
        workerMib <= LIMIT.worker_memory_mib,
    };
  } finally {
    await heartbeats?.stop();
    await workers?.stop();
    records.close();
    await host.stop();
  }
}

async function submit(client: PlaneClient, lines: number): Promise<string> {
  const pace = {
    lines,
    atOnce: 0,
    linesPerWrite: LINES_PER_SECOND / WRITES_PER_SECOND,
    writesPerSecond: WRITES_PER_SECOND,
  };
  const { id } = await client.submit({
    name: 'one of many',
    agent_type: 'codex',
    image: IMAGE,
    script: `${printPaced(pace)}\n${WRITE_REPORT}`,
  });
  return id;
}

/** The most memory any worker had; the kernel keeps each one's peak until it ends. */
class WorkerWatch {
  readonly #pid: number;
  readonly #ended: Promise<void>;
  #mostMib = 0;
  #isOver = false;

  constructor({ child }: MeasuredHost) {
    this.#pid = child.pid ?? Number.NaN;
    this.#ended = this.#watch();
  }

  async stop(): Promise<number> {
    this.#isOver = true;
    await this.#ended;
    return this.#mostMib;
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      const found = await Promise.all(
        (await workersOf(this.#pid)).map(({ pid }) => peakMemoryMib(pid)),
      );
      for (const mib of found) if (mib > this.#mostMib) this.#mostMib = mib;
      await sleep(LOOK_MS);
    }
  }
}
