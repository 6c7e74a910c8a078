import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import {
  CHUNK_MAX_AGE_MS,
  CHUNK_TARGET_BYTES,
  MAX_CHUNKS_IN_FLIGHT,
  RECORD_FLAG,
} from '../../../runner-core/model/log-chunk.ts';
import { LINE_END_MARK, RESULT_PREFIX } from '../../../runner-core/wire/launch.ts';
import { SecretMask } from '../../../runner-core/worker/secret-mask.ts';
import { ENVELOPE_KEPT_BYTES } from '../../../runner-core/worker/source-lines.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { FakeLogSource, type FakeLogOptions } from '../../support/fake-log-source.ts';
import { LogFollower, type FollowerOptions } from '../../support/log-follower.ts';

function bench(
  options: Partial<FollowerOptions> = {},
  log: FakeLogOptions = {},
): { source: FakeLogSource; clock: FakeClock; follower: LogFollower } {
  const source = new FakeLogSource(log);
  const clock = new FakeClock();
  const follower = new LogFollower({ source, clock, exited: source.exited, ...options });
  return { source, clock, follower };
}

test('lines of both sources come with their flags and instants, empty ones too', async () => {
  const { source, follower } = bench();
  source.write(0, 'one\r\n\n');
  source.write(1, 'caf\u00e9\n');
  source.write(0, 'no end\r');
  source.exit();
  const end = await follower.run();
  const atMs = 1_700_000_000_000;
  expect(follower.records()).toEqual([
    { atMs, flags: 0, text: 'one' },
    { atMs, flags: 0, text: '' },
    { atMs, flags: RECORD_FLAG.stderr, text: 'café' },
    { atMs, flags: 0, text: 'no end\r' },
  ]);
  expect(end).toEqual({ envelopePayloads: [], envelopeCount: 0, setupFailed: false, lines: 4 });
});

test('after the end the cursor is past an end without a line break: the next worker has nothing to do', async () => {
  const { source, follower } = bench();
  source.write(0, `a line\n${'x'.repeat(70_000)}`);
  source.write(1, 'no end');
  source.exit();
  await follower.run();
  expect(follower.cursor).toMatchObject({
    stdout: { taken: 6, open: null },
    stderr: { taken: 1, open: null },
  });
  const { messages } = follower;
  expect((await follower.run()).lines).toBe(3);
  expect(follower.messages).toBe(messages);
});

test('a line that fits the limit to the byte is whole, and nothing is left out', async () => {
  const { source, follower } = bench({
    maxLogBytes: 16_384,
    mask: new SecretMask(['a-long-secret']),
  });
  source.write(0, `${'a'.repeat(16_384)}\n`);
  source.exit();
  await follower.run();
  expect(follower.lines('stdout')).toEqual(['a'.repeat(16_384)]);
});

test('a chunk goes out a tenth of a second after its first line, with the cursor behind it', async () => {
  const { source, clock, follower } = bench();
  const end = follower.run();
  source.write(0, 'first\n');
  await settle();
  expect(follower.messages).toBe(0);
  await clock.advance(CHUNK_MAX_AGE_MS - 1);
  source.write(0, 'second\n');
  await settle();
  expect(follower.messages).toBe(0);
  await clock.advance(1);
  expect(follower.lines('stdout')).toEqual(['first', 'second']);
  expect(follower.cursor?.stdout).toMatchObject({ taken: 2, open: null });
  await clock.advance(10_000);
  expect(follower.messages).toBe(1);
  source.exit();
  await end;
  expect(clock.pending).toBe(0);
});

test('a chunk goes out at once when it is full, and chunks are numbered without gaps', async () => {
  const { source, follower } = bench();
  source.write(0, `${'x'.repeat(99)}\n`.repeat(10_000));
  source.exit();
  await follower.run();
  expect(follower.chunks.length).toBeGreaterThan(3);
  let lines = 0;
  follower.chunks.forEach((chunk, index) => {
    expect(chunk).toMatchObject({ seq: index + 1, firstLine: lines });
    expect(chunk.batches.reduce((sum, count) => sum + count, 0)).toBe(chunk.lines);
    expect(chunk.rawBytes).toBeLessThan(CHUNK_TARGET_BYTES + 100);
    lines += chunk.lines;
  });
  expect(lines).toBe(10_000);
});

test('with as many chunks unanswered as allowed the source is not read on until one is stored', async () => {
  const { source, follower } = bench({ answers: false });
  const line = `${'y'.repeat(999)}\n`;
  source.write(0, line.repeat(20_000));
  source.exit();
  const end = follower.run();
  for (let turn = 0; turn < 200; turn++) await settle();
  expect(follower.chunks).toHaveLength(MAX_CHUNKS_IN_FLIGHT);
  const readBytes = source.readBytes;
  expect(readBytes).toBeLessThan((MAX_CHUNKS_IN_FLIGHT + 1) * CHUNK_TARGET_BYTES * 1.1);
  for (let turn = 0; turn < 50; turn++) await settle();
  expect(source.readBytes).toBe(readBytes);
  follower.storeThrough(0);
  for (let turn = 0; turn < 50; turn++) await settle();
  expect(source.readBytes).toBe(readBytes);
  follower.storeAll();
  for (let turn = 0; turn < 200; turn++) await settle();
  expect(follower.chunks).toHaveLength(2 * MAX_CHUNKS_IN_FLIGHT);
  follower.storeAll();
  expect((await end).lines).toBe(20_000);
});

test('an abort frees a pipeline that waits for room, and nothing is emitted afterwards', async () => {
  const { source, clock, follower } = bench({ answers: false });
  source.write(0, `${'y'.repeat(999)}\n`.repeat(20_000));
  const abort = new AbortController();
  const end = follower.run(abort.signal);
  for (let turn = 0; turn < 200; turn++) await settle();
  abort.abort(new Error('over'));
  await expect(end).rejects.toThrow('over');
  expect(clock.pending).toBe(0);
  expect(source.openStreams).toBe(0);
});

test('a secret is masked in short lines, over the pieces of the engine and over the cut of a record', async () => {
  const mask = new SecretMask(['correct-horse-battery']);
  const { source, follower } = bench({ mask });
  source.write(0, 'say correct-horse-battery twice\n');
  for (const before of [16_380, 65_530])
    source.write(0, `${'a'.repeat(before)}correct-horse-battery!\n`);
  source.write(1, `${'b'.repeat(65_520)}correct-horse-battery`);
  source.exit();
  await follower.run();
  expect(follower.lines('stdout')).toEqual([
    'say *** twice',
    `${'a'.repeat(16_380)}***!`,
    `${'a'.repeat(65_530)}***!`,
  ]);
  expect(follower.lines('stderr')).toEqual([`${'b'.repeat(65_520)}***`]);
});

test('a character torn over the pieces of the engine is put together again', async () => {
  const { source, follower } = bench();
  source.write(0, `${'a'.repeat(16_383)}é and ${'b'.repeat(16_376)}😀\n`);
  source.exit();
  await follower.run();
  expect(follower.lines('stdout')).toEqual([`${'a'.repeat(16_383)}é and ${'b'.repeat(16_376)}😀`]);
});

const PAYLOAD = Buffer.from('{"exit_code":0,"result":{"status":"success"}}').toString('base64');

test('envelope lines are never logged, from either source; all are counted, two are kept whole', async () => {
  const { source, follower } = bench({ mask: new SecretMask([PAYLOAD.slice(0, 12)]) });
  const long = 'QUJD'.repeat(150_000);
  source.write(0, `before\n${RESULT_PREFIX}${PAYLOAD}\nafter\n`);
  source.write(1, `${RESULT_PREFIX}${long}\r\n`);
  source.write(0, `${RESULT_PREFIX}third`);
  source.exit();
  const end = await follower.run();
  expect(follower.lines('stdout')).toEqual(['before', 'after']);
  expect(follower.lines('stderr')).toEqual([]);
  expect(end).toMatchObject({ envelopePayloads: [PAYLOAD, long], envelopeCount: 3 });
});

test.each([
  ['a last line with its own line break gives no further line', 'done\n', ['done']],
  ['an empty last line stays', 'done\n\n', ['done', '']],
  ['a last line without line break is whole and without the mark', 'done\nrest', ['done', 'rest']],
  ['so is one that ends where the engine cuts', 'x'.repeat(2 * 16_384), ['x'.repeat(2 * 16_384)]],
  [
    'so is one whose mark is a piece of its own behind a cut inside a character',
    `${'x'.repeat(16_383)}é`,
    [`${'x'.repeat(16_383)}é`],
  ],
])('before the envelope, %s', async (_, printed, lines) => {
  const { source, follower } = bench();
  source.write(0, `${printed}${LINE_END_MARK}\n${RESULT_PREFIX}${PAYLOAD}\n`);
  source.exit();
  const end = await follower.run();
  expect(follower.lines('stdout')).toEqual(lines);
  expect(end).toMatchObject({ envelopePayloads: [PAYLOAD], lines: lines.length });
});

test('the prefix of an envelope counts at the start of a line only, and only whole', async () => {
  const { source, follower } = bench();
  const lines = [` ${RESULT_PREFIX}x`, RESULT_PREFIX.trimEnd(), 'PRELOOP_RUNNER_RESULT_V2 x', 'P'];
  source.write(0, lines.map((line) => `${line}\n`).join(''));
  source.exit();
  expect((await follower.run()).envelopeCount).toBe(0);
  expect(follower.lines('stdout')).toEqual(lines);
});

test('of an endless envelope line only what can still be refused is kept', async () => {
  const { source, follower } = bench();
  source.write(0, `${RESULT_PREFIX}${'A'.repeat(3_000_000)}\nnext\n`);
  source.exit();
  const end = await follower.run();
  expect(end.envelopePayloads.map(({ length }) => length)).toEqual([ENVELOPE_KEPT_BYTES]);
  expect(follower.lines('stdout')).toEqual(['next']);
});

test('a worker that takes over finds the envelopes, and what failed, before its cursor', async () => {
  const { source, clock, follower } = bench();
  const first = follower.runUntilKilled(1);
  source.write(0, `PRELOOP_SETUP_FAILED\nwork\n${RESULT_PREFIX}${PAYLOAD}\n`);
  source.write(1, `${RESULT_PREFIX}${'B'.repeat(40_000)}\n`);
  await clock.advance(CHUNK_MAX_AGE_MS);
  expect(await first).toBe('killed');
  expect(follower.cursor?.stdout.taken).toBe(3);
  source.exit();
  const end = await follower.run();
  expect(end).toEqual({
    envelopePayloads: [PAYLOAD, 'B'.repeat(40_000)],
    envelopeCount: 2,
    setupFailed: true,
    lines: 2,
  });
  expect(follower.lines('stdout')).toEqual(['PRELOOP_SETUP_FAILED', 'work']);
});

test('a stream that breaks within and after an envelope does not make the worker count it twice', async () => {
  const { source, clock, follower } = bench();
  const end = follower.run();
  source.write(0, `${RESULT_PREFIX}${'C'.repeat(50_000)}`);
  await settle();
  source.breakStreams();
  await clock.advance(500);
  source.write(0, 'D\n');
  await settle();
  source.breakStreams();
  await clock.advance(500);
  source.exit();
  expect(await end).toMatchObject({
    envelopePayloads: [`${'C'.repeat(50_000)}D`],
    envelopeCount: 1,
  });
});

test('a message without chunks moves the cursor past lines that are not logged', async () => {
  const { source, clock, follower } = bench();
  const end = follower.run();
  source.write(0, `${RESULT_PREFIX}${PAYLOAD}\n`);
  await clock.advance(CHUNK_MAX_AGE_MS);
  expect(follower.messages).toBe(1);
  expect(follower.chunks).toEqual([]);
  expect(follower.cursor?.stdout.taken).toBe(1);
  source.exit();
  await end;
});

test('markers go out with the lines they stand in, masked', async () => {
  const { source, follower } = bench({ mask: new SecretMask(['hush-hush']) });
  source.write(0, 'see PRELOOP_PR_OPENED {"url":"https://github.com/o/hush-hush/pull/7"}\n');
  source.write(1, 'PRELOOP_SETUP_FAILED: no network\n');
  source.write(0, 'PRELOOP_NOTHING_WE_KNOW\n');
  source.exit();
  const end = await follower.run();
  expect(follower.markers).toEqual([
    { kind: 'pr_opened', url: 'https://github.com/o/***/pull/7', branch: null, provider: null },
    { kind: 'setup_failed' },
  ]);
  expect(end.setupFailed).toBe(true);
  expect(follower.lines('stdout')).toHaveLength(2);
});

test('past its limit the log says what was left out; envelopes and markers still count', async () => {
  const { source, follower } = bench({ maxLogBytes: 40 });
  source.write(0, `${'x'.repeat(19)}\n`.repeat(4));
  source.write(1, `PRELOOP_SETUP_FAILED\n${'y'.repeat(20_000)}\n`);
  source.write(0, `${RESULT_PREFIX}${PAYLOAD}\n`);
  source.exit();
  const end = await follower.run();
  expect(follower.lines('stdout')).toEqual([
    ...Array.from({ length: 3 }, () => 'x'.repeat(19)),
    '[runner] The log limit of 40 bytes was reached: 3 lines with 20039 bytes were left out',
  ]);
  expect(end).toMatchObject({ envelopeCount: 1, setupFailed: true, lines: 4 });
  expect(follower.markers).toEqual([{ kind: 'setup_failed' }]);
});

test('the limit goes on where it was for a worker that takes over', async () => {
  const { source, clock, follower } = bench({ maxLogBytes: 40 });
  const first = follower.runUntilKilled(1);
  source.write(0, 'aaaaaaaaaa\n'.repeat(5));
  await clock.advance(CHUNK_MAX_AGE_MS);
  expect(await first).toBe('killed');
  expect(follower.lines('stdout')).toHaveLength(4);
  source.write(0, 'bbbbbbbbbb\n');
  source.exit();
  await follower.run();
  expect(follower.lines('stdout').slice(4)).toEqual([
    '[runner] The log limit of 40 bytes was reached: 2 lines with 20 bytes were left out',
  ]);
});

test('a line that the limit cuts shows no beginning of a secret', async () => {
  const secret = 'swordfish-'.repeat(10);
  const { source, follower } = bench({ maxLogBytes: 16_384, mask: new SecretMask([secret]) });
  source.write(0, `${'a'.repeat(16_384 - 50)}${secret}${'b'.repeat(100_000)}\nnext\n`);
  source.exit();
  await follower.run();
  const [line = '', note] = follower.lines('stdout');
  expect(line).toMatch(/^a+$/);
  expect(note).toContain('1 lines with 100054 bytes');
});

test('a killed worker and its successor cut a line at the limit alike', async () => {
  const { source, clock, follower } = bench({ maxLogBytes: 200_000 });
  const text = Array.from({ length: 60_000 }, (_, index) => `${index} `).join('');
  const first = follower.runUntilKilled(1);
  source.write(0, text);
  await clock.advance(CHUNK_MAX_AGE_MS);
  expect(await first).toBe('killed');
  expect(follower.cursor?.stdout.open?.emittedBytes).toBeGreaterThan(65_536);
  source.write(0, '\n');
  source.exit();
  await follower.run();
  const [line = ''] = follower.lines('stdout');
  expect(line.length).toBeGreaterThan(200_000 - 1);
  expect(text.startsWith(line)).toBe(true);
});

test('a single line of 100 MB passes with memory for one record, in records that add up', async () => {
  const piece = Buffer.alloc(1_000_000, 'z');
  let left = 100;
  const stream = async function* (): AsyncGenerator<Buffer> {
    await settle();
    const stamp = Buffer.from('2026-11-30T20:27:11.464055700Z ');
    for (; left > 0; left--) {
      for (let at = 0; at < piece.length; at += 16_000) {
        const text = piece.subarray(at, at + 16_000);
        const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
        head.writeUInt32BE(stamp.length + text.length, 4);
        yield Buffer.concat([head, stamp, text]);
      }
    }
  };
  let bytes = 0;
  let lines = 0;
  const collectGarbage = garbageCollector();
  // Twice: what the tests before left is given back by a thread beside, after the first.
  collectGarbage();
  await settle();
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  let emits = 0;
  const clock = new FakeClock();
  const { LogPipeline } = await import('../../../runner-core/worker/log-pipeline.ts');
  const pipeline: InstanceType<typeof LogPipeline> = new LogPipeline({
    clock,
    source: { open: () => Promise.resolve(stream()) },
    containerId: 'c',
    cursor: null,
    nextSeq: 1,
    nextLine: 0,
    mask: new SecretMask(['a-secret']),
    maxLogBytes: Number.MAX_SAFE_INTEGER,
    emit: ({ chunks }) => {
      for (const chunk of chunks) {
        bytes += chunk.rawBytes;
        lines += chunk.lines;
        pipeline.logStored(chunk.seq);
      }
      emits += 1;
      if (emits % 20 !== 0) return;
      // What is only waiting to be collected is no memory the record needs.
      collectGarbage();
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    },
  });
  await pipeline.run(Promise.resolve(), new AbortController().signal);
  expect(bytes).toBe(100_000_000);
  expect(lines).toBe(1);
  expect(most).toBeLessThan(64 * 2 ** 20);
});

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
