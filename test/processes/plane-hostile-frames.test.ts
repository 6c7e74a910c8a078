/** A live plane against ten thousand frames that are wrong in every way a seeded generator can think of. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Log, LogFields } from '../../runner-core/ports.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { planeUnderTest, type PlaneUnderTest } from '../support/plane-under-test.ts';
import type { RawRunner } from '../support/raw-runner.ts';

const FRAMES = 10_000;
/** Runners at once; frames that arrive together share a commit. */
const LANES = 40;
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_020);

let bench: PlaneUnderTest;
let logged: { event: string; fields: LogFields }[];
beforeEach(async () => {
  logged = [];
  const note = (event: string, fields: LogFields = {}): void => void logged.push({ event, fields });
  const log: Log = { debug: note, info: note, warn: note, error: note };
  bench = await planeUnderTest({ clock: new FakeClock(0), log });
});
afterEach(() => bench.close());

type Chance = () => number;

/** Mulberry32: small, seeded, good enough to vary frames. */
function chance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick<T>(next: Chance, from: readonly T[]): T {
  const chosen = from[Math.floor(next() * from.length)];
  if (chosen === undefined) throw new Error('nothing to pick from');
  return chosen;
}

const nested = (depth: number, open: string, close: string): string =>
  `${open.repeat(depth)}0${close.repeat(depth)}`;

/** JSON texts of values that belong nowhere. */
const VALUES: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1e308',
  '-0',
  '1.5',
  '9007199254740993',
  '""',
  '"x"',
  '"\\u0000"',
  '"\\ud800"',
  '"__proto__"',
  '"RUNNING"',
  '"constructor"',
  '[]',
  '{}',
  '[null]',
  '[[[]]]',
  '{"__proto__":{"status":"SUCCEEDED"}}',
  '{"toString":1,"length":9}',
  '["a",1]',
];
/** The same, large; picked now and then. */
const LARGE_VALUES: readonly string[] = [
  `"${'x'.repeat(70_000)}"`,
  `[${'"y",'.repeat(9_000)}"z"]`,
  nested(50_000, '[', ']'),
  nested(20_000, '{"a":', '}'),
];
const TYPES = [
  'heartbeat',
  'status',
  'logs',
  'complete',
  'unregister',
  'publication_candidate',
  'session_state',
  'hello',
  '__proto__',
  '',
];
const FIELDS = [
  'execution_id',
  'batch_id',
  'lines',
  'status',
  'concurrency',
  'ephemeral',
  'host_exec_profiles',
  'publication_capabilities',
  'held_execution_ids',
  'harness_inventory',
  'result',
  'error',
  'exit_code',
  'launch_version',
  'completion_protocol',
  'evidence_upload',
  'type',
  '__proto__',
  'constructor',
];

function hostileFrame(
  next: Chance,
  executionId: string,
): { data: string | Buffer; binary: boolean } {
  const shape = next();
  if (shape < 0.04) return { data: pick(next, VALUES), binary: false };
  if (shape < 0.06) return { data: Buffer.from([0xff, 0xfe, 0x00]), binary: next() < 0.5 };
  if (shape < 0.07) return { data: '{"type":"heartbeat"}', binary: true };
  const known = next() < 0.8 ? `"execution_id":"${executionId}",` : '';
  const fields = Array.from({ length: Math.floor(next() * 6) }, () => {
    const value = pick(next, next() < 0.03 ? LARGE_VALUES : VALUES);
    return `${JSON.stringify(pick(next, FIELDS))}:${value}`;
  });
  const type = next() < 0.95 ? JSON.stringify(pick(next, TYPES)) : pick(next, VALUES);
  const text = `{${known}${fields.map((field) => `${field},`).join('')}"type":${type}}`;
  // Cut somewhere: no longer JSON.
  if (shape > 0.94) return { data: text.slice(0, Math.floor(next() * text.length)), binary: false };
  return { data: text, binary: false };
}

test(`each of ${FRAMES} hostile frames is answered, or logged with its field and the socket closed`, async () => {
  console.log(`hostile frames: seed ${SEED} (set FUZZ_SEED to repeat another)`);
  let answered = 0;
  let ended = 0;

  async function lane(number: number): Promise<void> {
    const next = chance(SEED + number);
    let identity = await bench.register({ name: `lane ${number}` });
    let runner: RawRunner | undefined;
    const execution = (): Promise<string> =>
      bench
        .submit({ agent_type: 'codex', image: 'x', script: 'y', pool: identity.id })
        .then((row) => String(row['id']));
    let id = await execution();
    for (let sent = 0; sent < FRAMES / LANES; sent++) {
      if (runner?.isOpen !== true) {
        runner = await bench.connect(identity);
        if ((await runner.next())['type'] === 'error') {
          // It once called itself ephemeral and then unregistered: its row is gone.
          identity = await bench.register({ name: `lane ${number}` });
          runner = await bench.connect(identity);
          await runner.nextOf('hello');
        }
      }
      if (sent % 50 === 0) id = await execution();
      const { data, binary } = hostileFrame(next, id);
      runner.sendRaw(data, binary);
      const reply = await replyOrEnd(runner);
      if (reply === 'ended') {
        await bench.plane.connectionEnded(identity.id);
        ended++;
      } else answered++;
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_unused, number) => lane(number)));

  expect(answered + ended).toBe(FRAMES);
  expect(answered).toBeGreaterThan(FRAMES / 2);
  expect(ended).toBeGreaterThan(FRAMES / 50);
  const failures = logged.filter(({ event }) =>
    ['malformed frame', 'frame failed'].includes(event),
  );
  expect(failures).toHaveLength(ended);
  expect(failures.filter(({ fields }) => typeof fields['field'] !== 'string')).toEqual([]);
  expect(logged.filter(({ event }) => event === 'group of frames lost')).toEqual([]);

  const healthy = await bench.runner();
  expect(await healthy.heartbeat()).toEqual({ type: 'ack', concurrency: 2 });
}, 120_000);

/** A reply, or the end of the connection. A frame that ends the loop politely counts as answered. */
async function replyOrEnd(runner: RawRunner): Promise<'answered' | 'ended'> {
  for (;;) {
    const frame = await runner.next().catch(() => undefined);
    if (frame === undefined) return 'ended';
    if (frame['type'] === 'job' || frame['type'] === 'halt') continue;
    // An unregister is answered and then closed: the next frame needs another socket.
    if (frame['type'] === 'ack' && runner.saidGoodbye()) await runner.closed;
    return 'answered';
  }
}

test('a message over 16 MiB ends that connection, is logged with its field, and disturbs nobody else', async () => {
  const [big, other] = [await bench.runner(), await bench.runner()];
  big.sendRaw('x'.repeat(16_777_217));

  expect(await big.closed).toEqual({ code: 1009 });
  expect(logged.filter(({ event }) => event === 'malformed frame')).toEqual([
    {
      event: 'malformed frame',
      fields: { runnerId: big.runnerId, field: '', problem: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' },
    },
  ]);
  expect(await other.heartbeat()).toEqual({ type: 'ack', concurrency: 2 });
});
