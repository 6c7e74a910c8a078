/**
 * A host that is killed under running jobs and started again: how long until each is supervised again, how long
 * until the service has what they printed meanwhile, and whether every line is there once. Counted in the plane's
 * database, which no host can write.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { PlaneClient } from '../../main/cli/plane-client.ts';
import { LABEL } from '../../runner-core/docker/labels.ts';
import { PlaneRecords } from '../chaos/plane-records.ts';
import { startHostProcess, type HostProcess } from '../host-process.ts';
import type { BenchOptions, BenchResult } from './bench-result.ts';
import { lineNumber, printPaced, WRITE_REPORT } from './chatty-job.ts';
import { startPlaneOfBench } from './plane-process.ts';
import { startWatchedEngine, type WatchedEngine } from './watched-engine.ts';

const IMAGE = 'preloop-runner-host-test:bookworm';
const ENGINE_SOCKET = (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace(
  'unix://',
  '',
);
const JOBS = 8;
const LINES = 100_000;
/** Half at once, so that the kill falls into a backlog; half in 30 s, so that it falls into running jobs. */
const PACED_SECONDS = 30;
const WRITES_PER_SECOND = 20;
/** Of all lines, at the service when the host is killed. */
const KILLED_AT = 0.25;
const DOWN_MS = 2_000;
const LOOK_MS = 100;
const LIMIT = { supervised_ms: 2_000, caught_up_ms: 10_000, lines_wrong: 0 } as const;

export async function run({ jobs = JOBS, lines = LINES }: BenchOptions): Promise<BenchResult> {
  const plane = await startPlaneOfBench();
  const engine = await startWatchedEngine(ENGINE_SOCKET);
  const records = new PlaneRecords(plane.dataDir);
  const dataDir = await mkdtemp(join(tmpdir(), 'preloop-host-'));
  const start = (): Promise<HostProcess> =>
    startHostProcess({
      dataDir,
      args: ['--server', plane.url, '--concurrency', String(jobs)],
      environment: { DOCKER_HOST: engine.address, PRELOOP_TOKEN: plane.ownerToken },
    });
  let host = await start();
  try {
    const client = new PlaneClient(plane.url, plane.ownerToken);
    const ids = await Promise.all(Array.from({ length: jobs }, () => submit(client, lines)));
    await until(() => sum(ids, (id) => records.lineCount(id)) >= jobs * lines * KILLED_AT);
    await until(() => ids.every((id) => records.lineCount(id) > 0));
    await kill(host);
    await sleep(DOWN_MS);
    const containers = await containersOf(ids);

    const startedMs = performance.now();
    const up = start();
    const supervisedMs = (await supervised(engine, containers, startedMs)) - startedMs;
    const printed = await Promise.all(containers.map(printedBy));
    await until(() => ids.every((id, index) => records.lineCount(id) >= (printed[index] ?? 0)));
    const caughtUpMs = performance.now() - startedMs;
    host = await up;

    await Promise.all(ids.map((id) => host.line(new RegExp(`${id.slice(0, 8)} reported`))));
    const succeeded = records.executions(ids).filter(({ status }) => status === 'SUCCEEDED').length;
    const linesWrong = sum(ids, (id) => wrongLines(records.lines(id), lines));
    const metrics = {
      jobs,
      lines_each: lines,
      supervised_ms: supervisedMs,
      caught_up_ms: caughtUpMs,
      behind_lines_at_start: sum(printed, (count) => count),
      succeeded,
      lines_wrong: linesWrong,
    };
    return {
      bench: 'adopt',
      metrics,
      limit: LIMIT,
      ratio: supervisedMs / LIMIT.supervised_ms,
      pass:
        supervisedMs <= LIMIT.supervised_ms &&
        caughtUpMs <= LIMIT.caught_up_ms &&
        succeeded === jobs &&
        linesWrong === LIMIT.lines_wrong,
    };
  } finally {
    await host.stop();
    records.close();
    await engine.stop();
    await plane.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function submit(client: PlaneClient, lines: number): Promise<string> {
  const atOnce = Math.floor(lines / 2);
  const writes = PACED_SECONDS * WRITES_PER_SECOND;
  const pace = {
    lines,
    atOnce,
    linesPerWrite: Math.max(1, Math.ceil((lines - atOnce) / writes)),
    writesPerSecond: WRITES_PER_SECOND,
  };
  const { id } = await client.submit({
    name: 'adopted',
    agent_type: 'codex',
    image: IMAGE,
    script: `${printPaced(pace)}\n${WRITE_REPORT}`,
  });
  return id;
}

async function kill(host: HostProcess): Promise<void> {
  const exited = once(host.child, 'exit');
  host.child.kill('SIGKILL');
  await exited;
}

/** In the order of the jobs; throws where one has none. */
async function containersOf(ids: readonly string[]): Promise<readonly string[]> {
  return Promise.all(
    ids.map(async (id) => {
      const filter = `label=${LABEL.execution}=${id}`;
      const { stdout } = await execa('docker', ['ps', '-aq', '--no-trunc', '--filter', filter]);
      if (stdout === '') throw new Error(`The job ${id} was settled before its host was killed`);
      return stdout.trim();
    }),
  );
}

/** When the log of the last of them was asked for by the new host. */
async function supervised(
  engine: WatchedEngine,
  containers: readonly string[],
  sinceMs: number,
): Promise<number> {
  const askedAt = (id: string): number => engine.logsAsked.get(id) ?? Number.NEGATIVE_INFINITY;
  await until(() => containers.every((id) => askedAt(id) >= sinceMs));
  return Math.max(...containers.map(askedAt));
}

/** How many lines the engine has of it, by the number in the last of them. */
async function printedBy(container: string): Promise<number> {
  const { stdout } = await execa('docker', ['logs', '--tail', '1', container]);
  const number = lineNumber(stdout);
  if (Number.isNaN(number)) throw new Error(`A strange last line: ${stdout.slice(0, 100)}`);
  return number + 1;
}

/** Lost, doubled, changed or out of their order. */
function wrongLines(stored: readonly string[], lines: number): number {
  const misplaced = stored.filter((line, index) => lineNumber(line) !== index).length;
  return misplaced + Math.max(0, lines - stored.length);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(LOOK_MS);
}

function sum<T>(of: readonly T[], value: (each: T) => number): number {
  return of.reduce((total, each) => total + value(each), 0);
}
