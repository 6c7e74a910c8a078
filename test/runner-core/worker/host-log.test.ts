import { expect, test } from 'vitest';
import { decodeChunk } from '../../../runner-core/log/chunk-codec.ts';
import { RECORD_FLAG, type LogChunk } from '../../../runner-core/model/log-chunk.ts';
import { HostLog, type HostStream } from '../../../runner-core/worker/host-log.ts';
import { SecretMask } from '../../../runner-core/worker/secret-mask.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const SECRET = 'swordfish-0123456789';

function bench(maxLogBytes = 0) {
  const chunks: LogChunk[] = [];
  const log = new HostLog({
    clock: new FakeClock(),
    mask: new SecretMask([SECRET]),
    maxLogBytes,
    emit: (message) => void chunks.push(...message.chunks),
  });
  const records = () => chunks.flatMap((chunk) => decodeChunk(chunk).records);
  return { log, chunks, records };
}

test('a secret is masked in either output whatever pieces it comes in, also where the outputs alternate', () => {
  const text = Buffer.from(`the key is ${SECRET}!\n`);
  for (let at = 0; at <= text.length; at++) {
    const { log, records } = bench();
    for (const piece of [text.subarray(0, at), text.subarray(at)])
      for (const stream of ['stdout', 'stderr'] satisfies HostStream[]) log.push(stream, piece);
    log.end();
    expect(records().map(({ text: line }) => line)).toEqual(['the key is ***!', 'the key is ***!']);
  }
});

test('a secret that the limit of the log cuts leaves no rest', () => {
  const text = Buffer.from(`the key is ${SECRET}!\n`);
  for (let limit = 1; limit < text.length; limit++) {
    const { log, records } = bench(limit);
    log.push('stdout', text);
    log.end();
    expect(JSON.stringify(records())).not.toMatch(/sw|0123/);
  }
});

test('a secret across the border of two records, and of two pieces, is masked in a line of 50 MB', () => {
  const { log, chunks } = bench();
  const piece = Buffer.from('y'.repeat(65_530 - SECRET.length));
  let [secrets, rest, longest] = [0, false, 0];
  const look = (): void => {
    for (const chunk of chunks.splice(0))
      for (const { text, flags } of decodeChunk(chunk).records) {
        secrets += text.split('***').length - 1;
        rest ||= /sword|fish|0123/.test(text);
        longest = Math.max(longest, text.length);
        expect(flags & RECORD_FLAG.stderr).toBe(0);
      }
  };
  const count = 760;
  for (let sent = 0; sent < count; sent++) {
    log.push('stdout', piece);
    log.push('stdout', Buffer.from(SECRET.slice(0, 7)));
    log.push('stdout', Buffer.from(SECRET.slice(7)));
    look();
  }
  log.end();
  look();
  // A replacement at the border of two records may be in both of them.
  expect(secrets).toBeGreaterThan(count - 20);
  expect(rest).toBe(false);
  expect(longest).toBeLessThanOrEqual(65_536);
});

test('the end of an output is kept masked, and beyond the limit of the log', () => {
  const { log } = bench(10);
  const tail = log.tail(100);
  tail.push(Buffer.from(`the key is ${SECRET.slice(0, 5)}`));
  tail.push(Buffer.from(`${SECRET.slice(5)}!\n`));
  tail.end();
  expect(tail.text).toBe('the key is ***!\n');
});
