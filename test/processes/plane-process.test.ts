/** The plane as a process of its own: its one line, its lock, its ends, and what survives a kill. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newId } from '../../runner-core/system.ts';
import { RawRunner } from '../support/raw-runner.ts';

const ENTRY = resolve('control-plane/plane-main.ts');

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly stdout: readonly string[];
  stderr(): string;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

let dataDir: string;
let started: Started[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'plane-process-'));
  started = [];
});
afterEach(async () => {
  for (const plane of started) {
    plane.child.kill('SIGKILL');
    await plane.exited;
  }
  await rm(dataDir, { recursive: true, force: true });
});

async function startPlane(...flags: string[]): Promise<Started> {
  const child = spawn(process.execPath, [ENTRY, '--data-dir', dataDir, ...flags], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const stdout: string[] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
  const exited = new Promise<{ code: number | null; signal: string | null }>((done) => {
    child.once('close', (code, signal) => done({ code, signal }));
  });
  const ready = new Promise<string>((done) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      stdout.push(line);
      done(line);
    });
  });
  const line = await Promise.race([ready, exited.then(() => '{}')]);
  const { url = '' } = JSON.parse(line) as { url?: string };
  const plane = { child, url, stdout, stderr: () => stderr, exited };
  started.push(plane);
  return plane;
}

async function rest(
  plane: Started,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const token = (await readFile(join(dataDir, 'token'), 'utf8')).trim();
  const answer = await fetch(plane.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Record<string, unknown>;
}

test('it prints one line when it is ready, keeps its token over a restart, and ends cleanly on SIGTERM', async () => {
  const first = await startPlane();
  expect(first.stdout).toEqual([JSON.stringify({ ready: true, url: first.url })]);
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const token = await readFile(join(dataDir, 'token'), 'utf8');
  first.child.kill('SIGTERM');
  expect(await first.exited).toEqual({ code: 0, signal: null });
  expect(first.stdout).toHaveLength(1);
  for (const line of first.stderr().trim().split('\n')) {
    expect(JSON.parse(line)).toMatchObject({ level: 'info' });
    expect(line).not.toContain(token.trim());
  }

  const second = await startPlane('--port', new URL(first.url).port);
  expect(second.url).toBe(first.url);
  expect(await readFile(join(dataDir, 'token'), 'utf8')).toBe(token);
});

test('a second plane on the same folder is refused and says why, and the first goes on', async () => {
  const first = await startPlane();
  const second = await startPlane();

  expect((await second.exited).code).toBe(1);
  expect(JSON.parse(second.stderr())).toMatchObject({ code: 'plane_already_running' });
  expect(await rest(first, '/api/v1/runners')).toEqual([]);
});

test('with a parent, it ends when its standard input closes', async () => {
  const plane = await startPlane('--with-parent');
  plane.child.stdin?.end();
  expect(await plane.exited).toEqual({ code: 0, signal: null });
});

test('without a parent, a closed standard input does not end it', async () => {
  const plane = await startPlane();
  plane.child.stdin?.end();
  expect(await rest(plane, '/api/v1/runners')).toEqual([]);
  expect(plane.child.exitCode).toBeNull();
});

test('flags that make no sense end it with code 2 and the usage', async () => {
  const plane = await startPlane('--behaviour', 'best');
  expect((await plane.exited).code).toBe(2);
  expect(plane.stderr()).toContain('usage: plane-main --data-dir');
});

test('what was acknowledged before a kill is there after it, and repeating the rest doubles nothing', async () => {
  const first = await startPlane();
  const { id, token } = await rest(first, '/api/v1/runners/register', { concurrency: 2 });
  const runner = await RawRunner.connect(first.url, String(id), String(token));
  await runner.nextOf('hello');
  const job = { agent_type: 'codex', image: 'x', script: 'y' };
  const execution = String((await rest(first, '/api/v1/flows/executions', job))['id']);
  await runner.nextOf('job');
  const batches = Array.from({ length: 400 }, (_unused, at) => ({
    type: 'logs',
    execution_id: execution,
    batch_id: newId(),
    lines: [`first line of ${at}`, `second line of ${at}`],
  }));
  for (const batch of batches) runner.send(batch);
  for (let count = 0; count < 100; count++) await runner.nextOf('logs_ack');
  first.child.kill('SIGKILL');
  await first.exited;
  await runner.closed;
  const acknowledged = runner.received.filter((frame) => frame['type'] === 'logs_ack').length;

  const second = await startPlane();
  const logs = `/api/v1/flows/executions/${execution}`;
  const kept = Number((await rest(second, logs))['log_line_count']);
  expect(kept).toBeGreaterThanOrEqual(acknowledged * 2);
  expect(await rest(second, `/api/v1/runners/${String(id)}`)).toMatchObject({ status: 'offline' });
  const again = await RawRunner.connect(second.url, String(id), String(token));
  await again.nextOf('hello');
  for (const batch of batches) await again.ask(batch);

  const page = await rest(second, `${logs}/logs?limit=10000`);
  expect((page['lines'] as { line: string }[]).map(({ line }) => line)).toEqual(
    batches.flatMap(({ lines }) => lines),
  );
  expect(page['log_line_count']).toBe(800);
  await again.close();
});
