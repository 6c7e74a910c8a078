import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EngineServer, json } from '../support/engine-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { planeUnderTest, type PlaneUnderTest } from '../support/plane-under-test.ts';

type Said = Readonly<Record<string, unknown>>;

/** Mounting needs a namespace of its own, and for a usual user one in which it is root. */
function startHost(plane: PlaneUnderTest, engineSocket: string, when: 'full' | 'room' = 'room') {
  const isRoot = process.getuid?.() === 0;
  const rights = isRoot ? ['--mount'] : ['--mount', '--user', '--map-root-user'];
  const child = spawn(
    'unshare',
    [
      ...rights,
      process.execPath,
      join(import.meta.dirname, 'disk-full-child.ts'),
      tempDir(),
      plane.url,
      plane.token,
      engineSocket,
      when,
    ],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: Said[] = [];
  const waiting = new Set<() => void>();
  child.on('message', (message: Said) => {
    said.push(message);
    for (const look of waiting) look();
  });
  const until = (passes: (message: Said) => boolean, from = 0): Promise<Said> =>
    new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the host ended with ${code ?? 'a signal'}`)));
      const look = (): void => {
        const found = said.slice(from).find(passes);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { child, said, until };
}

/** The socket of an engine that has no containers. */
async function emptyEngine(): Promise<string> {
  const engine = new EngineServer([
    [/\/_ping/, json(200, 'OK')],
    [
      /\/version/,
      json(200, {
        Version: '29.1',
        ApiVersion: '1.47',
        MinAPIVersion: '1.24',
        Os: 'linux',
        Arch: 'amd64',
      }),
    ],
    [/\/containers\/json/, json(200, [])],
  ]);
  await engine.listening;
  const { address } = engine;
  if (address.kind !== 'socket') throw new Error('not a socket');
  return address.path;
}

async function endOf(plane: PlaneUnderTest, id: unknown): Promise<Said> {
  for (;;) {
    const execution = await plane.execution(id);
    if (['SUCCEEDED', 'FAILED', 'STOPPED'].includes(String(execution['status']))) return execution;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function linesOf(plane: PlaneUnderTest, id: unknown): Promise<readonly string[]> {
  const all: string[] = [];
  for (let after = 0; ;) {
    const path = `/api/v1/flows/executions/${String(id)}/logs?after_seq=${after}&limit=1000`;
    const { body } = await plane.rest('GET', path);
    const page = body as { lines: { line: string }[]; next_after_seq: number };
    if (page.lines.length === 0) return all;
    all.push(...page.lines.map(({ line }) => line));
    after = page.next_after_seq;
  }
}

test(
  'a file system of 64 MB filled under a chatty job costs log bodies and no verdict, and the host recovers by itself',
  { timeout: 120_000 },
  async () => {
    const plane = await planeUnderTest();
    onTestFinished(() => plane.close());
    const { child, said, until } = startHost(plane, await emptyEngine());
    await until(({ session }) => session === 'online');

    const first = await plane.submit();
    const ended = await until(({ kind, name }) => kind === 'ended' && name === 'first');
    expect(ended['freeBlocks']).toBe(0);
    expect(await endOf(plane, first['id'])).toMatchObject({ status: 'SUCCEEDED' });
    const lines = await linesOf(plane, first['id']);
    const places = lines.flatMap((line, place) => (line.startsWith('[runner]') ? [place] : []));
    expect(places).toEqual([lines.length - 1]);
    const gap = /full: (\d+) lines with (\d+) bytes are missing here$/.exec(lines.at(-1) ?? '');
    const [, missing, missingBytes] = gap ?? [];
    expect(lines.length - 1 + Number(missing)).toBe(ended['lines']);
    const toldBytes = lines.slice(0, -1).reduce((sum, line) => sum + line.length, 0);
    expect(toldBytes + Number(missingBytes)).toBe(ended['bytes']);
    expect(lines.slice(0, -1).every((line, place) => line.startsWith(`first ${place} `))).toBe(
      true,
    );
    const full = said.findLast(({ kind }) => kind === 'view');
    expect(full).toMatchObject({ isFull: true, sentence: 'Not taking jobs: the disk is full.' });

    // Nobody takes it while the disk is full; it waits at the service.
    const second = await plane.submit();
    const before = said.length;
    child.send({ kind: 'free' });
    await until(({ kind, isFull }) => kind === 'view' && isFull === false, before);
    expect(await endOf(plane, second['id'])).toMatchObject({ status: 'SUCCEEDED' });
    const again = await linesOf(plane, second['id']);
    expect(again).toHaveLength(1_000);
    expect(again.every((line, place) => line.startsWith(`second ${place} `))).toBe(true);

    child.send({ kind: 'stop' });
    expect((await once(child, 'exit'))[0]).toBe(0);
  },
);

test(
  'a host that starts on a full file system comes online, says so, and takes the job that waits once there is room',
  { timeout: 120_000 },
  async () => {
    const plane = await planeUnderTest();
    onTestFinished(() => plane.close());
    const { child, said, until } = startHost(plane, await emptyEngine(), 'full');
    const full = await until(({ session, isFull }) => session === 'online' && isFull === true);
    expect(full).toMatchObject({ sentence: 'Not taking jobs: the disk is full.' });

    const job = await plane.submit();
    const before = said.length;
    child.send({ kind: 'free' });
    await until(({ kind, isFull }) => kind === 'view' && isFull === false, before);
    expect(await endOf(plane, job['id'])).toMatchObject({ status: 'SUCCEEDED' });
    expect(await linesOf(plane, job['id'])).toHaveLength(1_000);

    child.send({ kind: 'stop' });
    expect((await once(child, 'exit'))[0]).toBe(0);
  },
);
