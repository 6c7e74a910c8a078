/** A runner that another process took over: remembered until a session stands again, and where the other one runs. */
import { expect, test } from 'vitest';
import { TakeOver, type TakeOverDeps } from '../../../main/services/take-over.ts';
import { MemorySettings } from '../../support/api-bench.ts';
import { settle } from '../../support/fake-clock.ts';
import { RecordedLog } from '../../support/recorded-log.ts';

const SERVER = 'https://service.example';
const REPLACED = { kind: 'refused', sinceMs: 1, refusal: 'replaced' } as const;
const ONLINE = { kind: 'online', sinceMs: 2, capacity: null } as const;

function made(facts: MemorySettings, changes: Partial<TakeOverDeps> = {}) {
  const seen = { asked: 0, changed: 0 };
  const { ask = () => Promise.resolve('build-box-3') } = changes;
  const takeOver = new TakeOver({
    facts,
    serverKey: SERVER,
    log: new RecordedLog(),
    ownHostname: 'birch',
    changed: () => void seen.changed++,
    ...changes,
    ask: () => {
      seen.asked += 1;
      return ask();
    },
  });
  return { takeOver, seen };
}

test('a take-over outlives the host, and dialling in vain; a session that stands ends it', () => {
  const settings = new MemorySettings();
  made(settings).takeOver.saw(REPLACED);
  const { takeOver: next } = made(settings);
  expect(next.refusal).toBe('replaced');
  next.saw({ kind: 'dialling', sinceMs: 2, attempt: 0 });
  next.saw({ kind: 'closed', sinceMs: 2 });
  expect(made(settings).takeOver.refusal).toBe('replaced');
  next.saw(ONLINE);
  expect(made(settings).takeOver.refusal).toBeNull();
});

test('it is remembered for the one server, and no other refusal is', () => {
  const settings = new MemorySettings();
  const { takeOver: first } = made(settings);
  first.saw({ kind: 'refused', sinceMs: 1, refusal: 'rotated' });
  expect(made(settings).takeOver.refusal).toBeNull();
  first.saw(REPLACED);
  expect(made(settings, { serverKey: 'https://other.example' }).takeOver.refusal).toBeNull();
});

test('the record is asked once where the other process runs, and the answer is kept', async () => {
  const settings = new MemorySettings();
  const { takeOver, seen } = made(settings);
  expect(takeOver.by).toBeNull();
  takeOver.saw(REPLACED);
  takeOver.saw(REPLACED);
  await settle();
  takeOver.saw(REPLACED);
  expect([takeOver.by, seen]).toEqual([
    { kind: 'elsewhere', hostname: 'build-box-3' },
    { asked: 1, changed: 1 },
  ]);
  const next = made(settings);
  next.takeOver.saw(REPLACED);
  expect([next.takeOver.by, next.seen.asked]).toEqual([takeOver.by, 0]);
  takeOver.saw(ONLINE);
  expect(takeOver.by).toBeNull();
});

test.each([
  ['this machine', () => Promise.resolve('birch'), { kind: 'here' }],
  ['nothing', () => Promise.resolve(null), { kind: 'unknown' }],
  ['no answer', () => Promise.reject(new Error('away')), { kind: 'unknown' }],
  [
    'a name that steers a terminal',
    () => Promise.resolve(`\u001b[2J${'x'.repeat(99)}`),
    { kind: 'elsewhere', hostname: `[2J${'x'.repeat(61)}` },
  ],
] as const)('a record that says %s is told as what it is', async (_name, ask, by) => {
  const { takeOver } = made(new MemorySettings(), { ask });
  takeOver.saw(REPLACED);
  await settle();
  expect(takeOver.by).toEqual(by);
});

test('what was not known is asked again at the next start; a runner taken back meanwhile is nobody else’s', async () => {
  const settings = new MemorySettings();
  const first = made(settings, { ask: () => Promise.resolve(null) });
  first.takeOver.saw(REPLACED);
  await settle();
  const next = made(settings);
  next.takeOver.saw(REPLACED);
  next.takeOver.saw(ONLINE);
  await settle();
  expect([next.takeOver.by, next.seen.asked, settings.values.size]).toEqual([null, 1, 0]);
});
