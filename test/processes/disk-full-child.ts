/**
 * A real host whose data folder is a file system of 64 MB of its own, with chatty workers that this file plays.
 * Runs in a mount namespace of its own, so nothing stays mounted. Started by `disk-full.test.ts`. With `full` as the
 * last argument the file system is full when the host starts, for the second time.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, rmSync, statfsSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { HostConfig } from '../../main/config.ts';
import { createHost } from '../../main/host.ts';
import type { Host } from '../../main/host-shape.ts';
import { systemClock, systemRandom } from '../../runner-core/system.ts';
import { aCursor, aVerdict, ChunkMaker } from '../support/job-builders.ts';
import { FakeLauncher, type FakeWorker } from '../support/fake-worker.ts';

const [disk = '', serverUrl = '', ownerToken = '', engineSocket = '', when] = process.argv.slice(2);
const startsFull = when === 'full';
const LINES_A_CHUNK = 500;
/** Written on after the disk was found full, so that much is left out. */
const CHUNKS_BEYOND = 15;
const DONE = aVerdict({
  outcome: 'succeeded',
  status: 'SUCCEEDED',
  exitCode: 0,
  error: '',
  result: { status: 'success' },
  reason: null,
});

execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk]);
const dataDir = join(disk, 'data');
const ballast = join(disk, 'ballast');
const filler = join(disk, 'filler');
const say = (message: Record<string, unknown>): void => void process.send?.(message);

/** Takes what is free of the disk, to the last block that is given, but for `spare` bytes. */
function take(path: string, spare: number): void {
  const fd = openSync(path, 'a');
  const piece = Buffer.alloc(4096, 7);
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(disk);
      if (bavail * bsize <= spare) return;
      writeSync(fd, piece);
    }
  } catch {
    // Full: as wanted.
  } finally {
    closeSync(fd);
  }
}

/** Speaks until the disk is full and on; with `limit` only so many chunks. */
function chatter(worker: FakeWorker, name: string, limit: number | null): void {
  const maker = new ChunkMaker();
  let lines = 0;
  let bytes = 0;
  let beyond = 0;
  const next = (): void => {
    if (host.view().storage.isFull) beyond += 1;
    if (limit === null ? beyond > CHUNKS_BEYOND : lines >= limit * LINES_A_CHUNK) {
      // The job's neighbours have eaten what was left.
      if (limit === null) take(filler, 0);
      const { bavail } = statfsSync(disk);
      worker.end(DONE);
      say({ kind: 'ended', name, lines, bytes, freeBlocks: bavail });
      return;
    }
    const texts = Array.from({ length: LINES_A_CHUNK }, (_, place) =>
      lineText(name, lines + place),
    );
    lines += LINES_A_CHUNK;
    bytes += texts.reduce((sum, text) => sum + text.length, 0);
    const records = texts.map((text) => ({ atMs: lines, flags: 0, text }));
    worker.log([maker.of(records)], aCursor(lines));
  };
  worker.onReceived = (message) => {
    if (message.kind === 'run') {
      worker.say({ kind: 'phase', phase: 'running', progress: null });
      next();
    }
    if (message.kind === 'log_stored') next();
  };
}

function lineText(name: string, line: number): string {
  const digest = createHash('sha512').update(`${name} ${line}`).digest('base64');
  return `${name} ${line} ${Array.from('abcdefghij')
    .map((salt) =>
      createHash('sha512')
        .update(digest + salt)
        .digest('base64'),
    )
    .join('')}`;
}

const launcher = new FakeLauncher();
const launch = launcher.launch.bind(launcher);
launcher.launch = () => {
  const worker = launch();
  const isFirst = launcher.workers.length === 1 && !startsFull;
  chatter(worker, isFirst ? 'first' : 'second', isFirst ? null : 2);
  return worker;
};

execFileSync('mkdir', ['-m', '700', dataDir]);
writeFileSync(join(dataDir, 'settings.yaml'), 'disk:\n  free_floor: none\n', { mode: 0o600 });
writeFileSync(ballast, '');
take(ballast, 12 * 2 ** 20);
let host = await start('new');
if (startsFull) {
  await online(host);
  await host.stop('stop');
  take(filler, 0);
  host = await start(null);
}
let told = '';
host.watch(() => {
  const { session, storage } = host.view();
  const { state } = host.overview().sentence;
  const now = JSON.stringify([session.kind, storage.isFull, state]);
  if (now !== told)
    say({ kind: 'view', session: session.kind, isFull: storage.isFull, sentence: state });
  told = now;
});
const { session, storage } = host.view();
say({ kind: 'view', session: session.kind, isFull: storage.isFull, sentence: '' });
process.on('message', (order: { kind: string }) => {
  if (order.kind === 'free') {
    rmSync(ballast);
    rmSync(filler);
  } else {
    void host.stop('stop').then(() => process.exit(0));
  }
});

function online(started: Host): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (started.view().session.kind === 'online') resolve();
    };
    started.watch(look);
    look();
  });
}

function start(enrol: HostConfig['enrol']): Promise<Host> {
  return createHost(
    {
      launcher: () => Object.assign(launcher, { warm: () => undefined }),
      planeEntry: '',
      pageDir: join(import.meta.dirname, '../../out/page'),
      clock: systemClock,
      random: systemRandom,
      environment: { DOCKER_HOST: `unix://${engineSocket}` },
      homeDir: disk,
      osName: process.platform,
      defaultDataDir: dataDir,
    },
    {
      dataDir,
      server: serverUrl,
      ownerToken,
      name: 'full',
      labels: null,
      concurrency: null,
      port: null,
      open: false,
      enrol,
    },
  );
}
