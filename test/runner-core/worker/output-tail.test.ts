import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { OutputTail } from '../../../runner-core/worker/output-tail.ts';
import { SecretMask } from '../../../runner-core/worker/secret-mask.ts';

const SECRET = 'swordfish-0123456789';

function tailOf(pieces: readonly Buffer[], secrets: readonly string[] = [SECRET]): string {
  const tail = new OutputTail(new SecretMask(secrets), 4_096);
  for (const piece of pieces) tail.push(piece);
  tail.end();
  return tail.text;
}

test('a secret is masked whatever pieces it comes in', () => {
  const text = Buffer.from(`Error: ${SECRET} is wrong\nat é ${SECRET}`);
  for (let at = 0; at <= text.length; at++)
    expect(tailOf([text.subarray(0, at), text.subarray(at)])).toBe(
      'Error: *** is wrong\nat é ***\n',
    );
});

test('a secret that ends in the last 4,096 characters and began before them leaves no rest', () => {
  for (const after of [4_080, 4_090, 4_095, 4_096, 4_100]) {
    const text = tailOf([Buffer.from(`${SECRET}${'.'.repeat(after - SECRET.length / 2)}`)]);
    expect(text).not.toContain('0123');
    expect(text.length).toBeLessThanOrEqual(4_096);
  }
});

test('a secret of many kilobytes is masked as well', () => {
  const long = 'k'.repeat(100_000);
  expect(
    tailOf([Buffer.from(`key ${long.slice(0, 70_000)}`), Buffer.from(long.slice(70_000))], [long]),
  ).toBe('key ***\n');
});

test('the line that the tail would cut at its beginning is left out, with the rest of its path', () => {
  const first = `at /home/ada/${'x'.repeat(2_000)}`;
  const text = tailOf([Buffer.from(`${first}\n${'y'.repeat(3_000)}\nlast\n`)]);
  expect(text).toBe(`${'y'.repeat(3_000)}\nlast\n`);
});

test('a line of 50 MB is read in less than 8 MB of memory, and its secrets are masked', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const tail = new OutputTail(new SecretMask([SECRET]), 4_096);
  const piece = Buffer.from(`${'y'.repeat(65_526)}${SECRET.slice(0, 10)}`);
  const rest = Buffer.from(SECRET.slice(10));
  collect();
  const heldBytes = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = heldBytes();
  let most = 0;
  tail.push(Buffer.from(`Error: ${SECRET}`));
  for (let sent = 0; sent < 50_000_000; sent += piece.length) {
    tail.push(piece);
    tail.push(rest);
    // What is only waiting to be collected is not held.
    if (sent % (piece.length * 32) !== 0) continue;
    collect();
    most = Math.max(most, heldBytes() - before);
  }
  tail.end();
  expect(tail.text).toMatch(/^Error: \*\*\*y+…\n$/);
  expect(most).toBeLessThan(8 * 2 ** 20);
});
