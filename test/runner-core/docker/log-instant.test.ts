import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatInstant,
  InstantReader,
  parseInstant,
} from '../../../runner-core/docker/log-instant.ts';

function read(
  text: string,
  reader = new InstantReader(),
): { sec: number; ns: number; rest: string } {
  const bytes = Buffer.from(text);
  const at = reader.read(bytes, 0, bytes.length);
  return { sec: reader.sec, ns: reader.ns, rest: bytes.toString('utf8', at) };
}

test('an instant of the engine is read to the nanosecond, and the text begins after one blank', () => {
  expect(read('2026-11-30T20:27:11.464055700Z  two blanks')).toEqual({
    sec: Date.UTC(2026, 10, 30, 20, 27, 11) / 1_000,
    ns: 464_055_700,
    rest: ' two blanks',
  });
});

test.each([
  ['2026-11-30T20:27:11.4640557Z x', 464_055_700],
  ['2026-11-30T20:27:11Z x', 0],
  ['2026-11-30T20:27:11.5Z x', 500_000_000],
  ['2026-11-30T22:27:11.464055700+02:00 x', 464_055_700],
])('%s is the same instant in another form', (text, ns) => {
  expect(read(text)).toEqual({ sec: Date.UTC(2026, 10, 30, 20, 27, 11) / 1_000, ns, rest: 'x' });
});

test('instants read one after the other do not mix, whichever digits change', () => {
  const reader = new InstantReader();
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4_102_444_799 }),
      fc.integer({ min: 0, max: 999_999_999 }),
      (sec, ns) => {
        expect(read(`${formatInstant({ sec, ns })} x`, reader)).toEqual({ sec, ns, rest: 'x' });
        expect(parseInstant(formatInstant({ sec, ns }))).toEqual({ sec, ns });
      },
    ),
  );
});

test.each([
  '',
  'no instant here',
  '2026-11-30T20:27:11.464055700Z',
  '2026-13-30T20:27:11.464055700Z x',
  '2026-11-30T20:27:11.46405570xZ x',
  'x026-11-30T20:27:11.464055700Z x',
])('a piece that begins with %j is refused', (text) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({
      code: 'log_stream_malformed',
      facts: expect.objectContaining({ problem: 'timestamp' }) as unknown,
    }),
  );
});
