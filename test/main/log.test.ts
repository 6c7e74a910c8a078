import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HostLog, type HostLogOptions } from '../../main/log.ts';
import { RotatingFile } from '../../main/rotating-file.ts';
import { StoreUnavailableError } from '../../runner-core/model/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { tempDir } from '../support/temp-dir.ts';

function logTo(options: Partial<HostLogOptions> = {}): {
  log: HostLog;
  path: string;
  lines: () => Promise<Record<string, unknown>[]>;
} {
  const path = join(tempDir(), 'host.log');
  const log = new HostLog({ path, clock: new FakeClock(1_767_225_600_000), ...options });
  const lines = async (): Promise<Record<string, unknown>[]> => {
    await log.close();
    const text = readFileSync(path, 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { log, path, lines };
}

test('each line is one JSON object with instant, level, event and fields', async () => {
  const { log, lines, path } = logTo();
  log.info('job accepted', { jobId: 'j1', slots: 2 });
  log.warn('worker lost');
  log.debug('not written by default');
  expect(await lines()).toEqual([
    { jobId: 'j1', slots: 2, at: '2026-01-01T00:00:00.000Z', level: 'info', event: 'job accepted' },
    { at: '2026-01-01T00:00:00.000Z', level: 'warn', event: 'worker lost' },
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('no field passes for a fixed one', async () => {
  const { log, lines } = logTo();
  log.error('real', { event: 'fake', level: 'debug', at: 'never' });
  expect(await lines()).toMatchObject([{ event: 'real', level: 'error' }]);
});

test.each([
  'token',
  'runnerToken',
  'access_token',
  'API_KEY',
  'apikey',
  'Authorization',
  'clientSecret',
  'password',
  'dbpassword',
  'privateKey',
  'Set-Cookie',
  'credentials',
])('the value of a field named %s is never written, at any depth', async (name) => {
  const { log, lines, path } = logTo();
  log.info('x', { [name]: 'canary-1', nested: { list: [{ [name]: { deep: 'canary-2' } }] } });
  expect(await lines()).toMatchObject([{ [name]: '[hidden]' }]);
  expect(readFileSync(path, 'utf8')).not.toContain('canary');
});

test.each(['monkey', 'jobId', 'stokenham', 'keyboard', 'exitCode'])(
  'a field named %s is written',
  async (name) => {
    const { log, lines } = logTo();
    log.info('x', { [name]: 'plain' });
    expect(await lines()).toMatchObject([{ [name]: 'plain' }]);
  },
);

test('a hidden value is blanked wherever it stands, quotes and line breaks in it included', async () => {
  const { log, lines, path } = logTo();
  const secret = 'can"ary\n4711';
  log.hide(secret);
  log.hide('canary-part');
  log.hide('canary-part-and-more');
  log.hide('job');
  const error = new RangeError(`refused ${secret}`, { cause: new Error(`because ${secret}`) });
  log.info(`event ${secret}`, {
    error,
    text: `a ${secret} b canary-part-and-more`,
    [`name ${secret}`]: 1,
    long: `${'x'.repeat(4_090)}${secret}`,
    jobs: 'job',
  });
  expect(await lines()).toMatchObject([
    {
      event: 'event [hidden]',
      text: 'a [hidden] b [hidden]',
      jobs: 'job',
      error: {
        name: 'RangeError',
        message: 'refused [hidden]',
        cause: { message: 'because [hidden]' },
      },
    },
  ]);
  expect(readFileSync(path, 'utf8')).not.toContain('ary');
});

test('an error of ours is written with code and facts', async () => {
  const { log, lines } = logTo();
  log.error('x', { error: new StoreUnavailableError({ act: 'write', systemCode: 'ENOSPC' }) });
  expect(await lines()).toMatchObject([
    { error: { code: 'store_unavailable', facts: { act: 'write', systemCode: 'ENOSPC' } } },
  ]);
});

test('fields of any shape are written, cut to size, and none throws', async () => {
  const { log, lines } = logTo();
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const thrower = {
    get bad(): string {
      throw new RangeError('getter');
    },
  };
  log.info('shapes', {
    circle,
    thrower,
    big: 10n,
    bytes: new Uint8Array(9),
    act: () => 1,
    text: 'x'.repeat(10_000),
    list: new Array<number>(1_000).fill(7),
  });
  log.info(
    'proxy',
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new RangeError('proxy');
        },
      },
    ),
  );
  const [shapes, proxy] = await lines();
  expect(shapes).toMatchObject({ big: '10', bytes: '[9 bytes]', thrower: { bad: '[unreadable]' } });
  expect(JSON.stringify(shapes).length).toBeLessThan(5_000);
  expect(proxy).toEqual({ level: 'info', event: 'log line unwritable' });
});

test('the echo is given every line at once, and one that throws hinders nothing', async () => {
  const echoed: string[] = [];
  const { log, lines } = logTo({
    level: 'debug',
    echo: (line) => {
      echoed.push(line);
      throw new RangeError('closed');
    },
  });
  log.debug('one');
  expect(echoed.map((line) => line.endsWith('"event":"one"}\n'))).toEqual([true]);
  expect(await lines()).toMatchObject([{ event: 'one' }]);
});

test('after flush every line is in the file, in order', async () => {
  const { log, path } = logTo();
  for (let place = 0; place < 1_000; place++) log.info('n', { place });
  await log.flush();
  const places = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { place: number }).place);
  expect(places).toEqual(Array.from({ length: 1_000 }, (_, place) => place));
  await log.close();
});

test('lines beyond what may wait are dropped and counted', async () => {
  const { log, lines } = logTo();
  for (let place = 0; place < 5_200; place++) log.info('n');
  const written = await lines();
  expect(written).toHaveLength(5_001);
  expect(written.at(-1)).toMatchObject({ event: 'log lines dropped', lines: 200 });
});

test('a disk that refuses loses lines, says how many, and the log goes on', async () => {
  const { log, path, lines } = logTo();
  mkdirSync(path);
  log.info('lost');
  log.info('lost');
  await log.flush();
  rmdirSync(path);
  log.info('kept');
  expect(await lines()).toMatchObject([
    { event: 'kept' },
    { event: 'log lines dropped', lines: 2 },
  ]);
});

test('a file that would grow past its size is put aside, and the oldest of three goes', async () => {
  const path = join(tempDir(), 'f');
  const file = new RotatingFile(path, () => 0, { maxBytes: 10, files: 3 });
  for (const text of ['aaaa\n', 'bbbb\n', 'cccc\n', 'dddd\n', 'eeee\n', 'ffff\n', 'gggg\n'])
    expect(await file.append(text)).toBe(true);
  await file.close();
  const texts = [path, `${path}.1`, `${path}.2`].map((name) => readFileSync(name, 'utf8'));
  expect(texts).toEqual(['gggg\n', 'eeee\nffff\n', 'cccc\ndddd\n']);
  expect(existsSync(`${path}.3`)).toBe(false);
});

test('a file from before counts towards its size', async () => {
  const path = join(tempDir(), 'f');
  const before = new RotatingFile(path, () => 0, { maxBytes: 10, files: 2 });
  await before.append('aaaaaaa\n');
  await before.close();
  const file = new RotatingFile(path, () => 0, { maxBytes: 10, files: 2 });
  await file.append('bbbb\n');
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('bbbb\n');
});

test('a file whose first line is a week old is put aside, and one put aside goes after thirty days', async () => {
  const path = join(tempDir(), 'f');
  const startMs = 1_767_225_600_000;
  let nowMs = startMs;
  const file = new RotatingFile(path, () => nowMs, { maxAgeMs: 7_000 });
  await file.append('old\n');
  nowMs += 7_001;
  await file.append('new\n');
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('old\n');
  expect(readFileSync(path, 'utf8')).toBe('new\n');
  await file.close();
  utimesSync(`${path}.1`, startMs / 1000, startMs / 1000);
  nowMs = startMs + 30_001;
  const later = new RotatingFile(path, () => nowMs, { maxAgeMs: 1e12, keepMs: 30_000 });
  await later.append('newer\n');
  await later.close();
  expect(existsSync(`${path}.1`)).toBe(false);
});
