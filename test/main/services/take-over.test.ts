/** A runner that another process took over: remembered until a session stands again. */
import { expect, test } from 'vitest';
import { TakeOver } from '../../../main/services/take-over.ts';
import { MemorySettings } from '../../support/api-bench.ts';

const SERVER = 'https://service.example';
const REPLACED = { kind: 'refused', sinceMs: 1, refusal: 'replaced' } as const;
const ONLINE = { kind: 'online', sinceMs: 2, capacity: null } as const;

test('a take-over outlives the host, and dialling in vain; a session that stands ends it', () => {
  const settings = new MemorySettings();
  new TakeOver(settings, SERVER).saw(REPLACED);
  const next = new TakeOver(settings, SERVER);
  expect(next.refusal).toBe('replaced');
  next.saw({ kind: 'dialling', sinceMs: 2, attempt: 0 });
  next.saw({ kind: 'closed', sinceMs: 2 });
  expect(new TakeOver(settings, SERVER).refusal).toBe('replaced');
  next.saw(ONLINE);
  expect(new TakeOver(settings, SERVER).refusal).toBeNull();
});

test('it is remembered for the one server, and no other refusal is', () => {
  const settings = new MemorySettings();
  const first = new TakeOver(settings, SERVER);
  first.saw({ kind: 'refused', sinceMs: 1, refusal: 'rotated' });
  expect(new TakeOver(settings, SERVER).refusal).toBeNull();
  first.saw(REPLACED);
  expect(new TakeOver(settings, 'https://other.example').refusal).toBeNull();
});
