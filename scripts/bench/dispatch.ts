/**
 * How fast a job starts: from the frame that brings it to the container-create request, with a warm
 * worker; and to the started container, against a bare `docker run`, in interleaved pairs.
 */
import { execa } from 'execa';
import { PlaneClient } from '../../main/cli/plane-client.ts';
import type { BenchResult } from './bench-result.ts';
import { WRITE_REPORT } from './chatty-job.ts';
import { startPlaneOfBench } from './plane-process.ts';
import { startWatchedEngine, type WatchedEngine } from './watched-engine.ts';
import { startWatchedPlane, type WatchedPlane } from './watched-plane.ts';
import { startMeasuredHost, type MeasuredHost } from './measured-host.ts';
import { median, percentile } from './median.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const IMAGE = 'preloop-runner-host-test:bookworm';
const ENGINE_SOCKET = (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace(
  'unix://',
  '',
);
const PAIRS = 30;
/** The spare worker is started a second after the one before was taken; then it is warm. */
const SPARE_MS = 2_500;
const LIMIT = { create_p95_ms: 50, start_ratio: 1.15 } as const;

export async function run(): Promise<BenchResult> {
  const plane = await startPlaneOfBench();
  const engine = await startWatchedEngine(ENGINE_SOCKET);
  const frames = await startWatchedPlane(plane.url);
  const host = await startMeasuredHost(['--server', frames.url], {
    DOCKER_HOST: engine.address,
    PRELOOP_TOKEN: plane.ownerToken,
  });
  try {
    const client = await PlaneClient.of(plane.dataDir);
    const createMs: number[] = [];
    const startMs: number[] = [];
    const bareMs: number[] = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      await sleep(SPARE_MS);
      const job = await startJob(client, host, engine, frames);
      createMs.push(job.createMs);
      startMs.push(job.startMs);
      bareMs.push(await startBare(engine));
    }
    const p95 = percentile(createMs, 0.95);
    const ratio = median(startMs) / median(bareMs);
    return {
      bench: 'dispatch',
      metrics: {
        pairs: PAIRS,
        create_p95_ms: p95,
        create_median_ms: median(createMs),
        start_median_ms: median(startMs),
        docker_run_median_ms: median(bareMs),
      },
      limit: LIMIT,
      ratio,
      pass: p95 <= LIMIT.create_p95_ms && ratio <= LIMIT.start_ratio,
    };
  } finally {
    await host.stop();
    await frames.stop();
    await engine.stop();
    await plane.stop();
  }
}

async function startJob(
  client: PlaneClient,
  host: MeasuredHost,
  engine: WatchedEngine,
  frames: WatchedPlane,
): Promise<{ readonly createMs: number; readonly startMs: number }> {
  const arrived = frames.nextJobFrame();
  const created = engine.nextCreate();
  const started = engine.nextStarted();
  const { id } = await client.submit({
    name: 'short',
    agent_type: 'codex',
    image: IMAGE,
    script: WRITE_REPORT,
  });
  const [arrivedMs, createdMs, startedMs] = await Promise.all([arrived, created, started]);
  await host.line(new RegExp(`${id.slice(0, 8)} reported`));
  return { createMs: createdMs - arrivedMs, startMs: startedMs - arrivedMs };
}

/** From calling the client to the engine's answer that the container runs. */
async function startBare(engine: WatchedEngine): Promise<number> {
  const started = engine.nextStarted();
  const calledMs = performance.now();
  const client = execa('docker', ['run', '--rm', IMAGE, 'true'], {
    env: { DOCKER_HOST: engine.address },
  });
  const startedMs = await started;
  await client;
  return startedMs - calledMs;
}
