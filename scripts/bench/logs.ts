/**
 * The complete log, fast: one million lines of 100 bytes from a real container through worker, host and
 * plane to the last acknowledgement, against `docker logs` of a container with the same output.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { execa, execaSync } from 'execa';
import { PlaneClient } from '../../main/cli/plane-client.ts';
import { dataPaths } from '../../main/data-dir.ts';
import type { BenchResult } from './bench-result.ts';
import { printLines, WRITE_REPORT } from './chatty-job.ts';
import { HeartbeatWatch } from './heartbeat-watch.ts';
import { startMeasuredHost, type MeasuredHost } from './measured-host.ts';
import { median } from './median.ts';

const IMAGE = 'preloop-runner-host-test:bookworm';
const LINES = 1_000_000;
const PAIRS = 3;
const MEGABYTE = 1024 * 1024;

const LIMIT = {
  wall_ratio: 2,
  memory_rise_mib: 64,
  heartbeat_off_by_ms: 1_000,
  loop_delay_p99_ms: 50,
} as const;

interface JobFigures {
  readonly wallMs: number;
  readonly memoryRiseBytes: number;
  readonly delayP99Ms: number;
  readonly hostCpuMs: number;
  readonly complete: boolean;
}

export async function run(): Promise<BenchResult> {
  const host = await startMeasuredHost();
  const twin = `preloop-bench-twin-${process.pid}`;
  // At the exit, so that an interrupted run leaves none behind either.
  process.once('exit', () => execaSync('docker', ['rm', '-fv', twin], { reject: false }));
  let heartbeats: HeartbeatWatch | undefined;
  try {
    const plane = await PlaneClient.of(dataPaths(host.dataDir).planeDir);
    heartbeats = await HeartbeatWatch.start(dataPaths(host.dataDir).planeDir);
    await execa(
      'docker',
      [
        'run',
        '--name',
        twin,
        '--log-driver',
        'json-file',
        '--log-opt',
        'max-size=3g',
        IMAGE,
        'bash',
        '-c',
        printLines(LINES),
      ],
      { stdout: 'ignore' },
    );
    const jobs: JobFigures[] = [];
    const bareMs: number[] = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      jobs.push(await runJob(host, plane));
      bareMs.push(await bareLogs(twin));
    }
    const worstBeatMs = await heartbeats.worstDeviation();
    return judge(jobs, bareMs, worstBeatMs);
  } finally {
    await heartbeats?.stop();
    await host.stop();
  }
}

async function runJob(host: MeasuredHost, plane: PlaneClient): Promise<JobFigures> {
  const before = await host.mark();
  const { id } = await plane.submit({
    name: 'chatty',
    agent_type: 'codex',
    image: IMAGE,
    script: `${printLines(LINES)}\n${WRITE_REPORT}`,
  });
  await host.line(new RegExp(`${id.slice(0, 8)} reported`));
  const after = await host.mark();
  const execution = await plane.execution(id);
  const stored = jobRow(host.dataDir, id);
  return {
    wallMs: stored.settledAtMs - stored.startedAtMs,
    memoryRiseBytes: after.peakRssBytes - before.rssBytes,
    delayP99Ms: after.p99Ms,
    hostCpuMs: after.cpuMs - before.cpuMs,
    complete:
      execution.status === 'SUCCEEDED' &&
      execution.log_line_count === LINES &&
      stored.lines === LINES,
  };
}

interface StoredFigures {
  readonly startedAtMs: number;
  readonly settledAtMs: number;
  readonly lines: number;
}

/** Read from the host's own database: when the container was running, and when the verdict was acknowledged. */
function jobRow(dataDir: string, id: string): StoredFigures {
  const database = new Database(dataPaths(dataDir).database, { readonly: true });
  try {
    const row = database
      .prepare<[string], StoredFigures>(
        `SELECT started_at_ms AS startedAtMs, settled_at_ms AS settledAtMs, lines
         FROM job JOIN job_log ON job_log.job = job.n WHERE job_id = ?`,
      )
      .get(id);
    if (row === undefined) throw new Error(`The host's database has no job ${id}`);
    return row;
  } finally {
    database.close();
  }
}

/** Straight into a file, without this process between the client and the disk. */
async function bareLogs(container: string): Promise<number> {
  const path = join(tmpdir(), `${container}.txt`);
  const file = await open(path, 'w');
  const startedMs = performance.now();
  const client = spawn('docker', ['logs', container], { stdio: ['ignore', file.fd, 'ignore'] });
  await once(client, 'exit');
  const tookMs = performance.now() - startedMs;
  await file.close();
  await rm(path, { force: true });
  return tookMs;
}

function judge(
  jobs: readonly JobFigures[],
  bareMs: readonly number[],
  worstBeatMs: number,
): BenchResult {
  const ratios = jobs.map(({ wallMs }, index) => wallMs / (bareMs[index] ?? Number.NaN));
  const ratio = median(ratios);
  const riseMib = Math.max(...jobs.map(({ memoryRiseBytes }) => memoryRiseBytes)) / MEGABYTE;
  const delayMs = Math.max(...jobs.map(({ delayP99Ms }) => delayP99Ms));
  const complete = jobs.every((job) => job.complete);
  return {
    bench: 'logs',
    metrics: {
      lines: LINES,
      pairs: PAIRS,
      complete_runs: jobs.filter((job) => job.complete).length,
      wall_ms_median: median(jobs.map(({ wallMs }) => wallMs)),
      docker_logs_ms_median: median(bareMs),
      memory_rise_mib_max: riseMib,
      loop_delay_p99_ms_max: delayMs,
      heartbeat_off_by_ms_max: worstBeatMs,
      host_cpu_ms_median: median(jobs.map(({ hostCpuMs }) => hostCpuMs)),
    },
    limit: LIMIT,
    ratio,
    pass:
      complete &&
      ratio <= LIMIT.wall_ratio &&
      riseMib <= LIMIT.memory_rise_mib &&
      worstBeatMs <= LIMIT.heartbeat_off_by_ms &&
      delayMs <= LIMIT.loop_delay_p99_ms,
  };
}
