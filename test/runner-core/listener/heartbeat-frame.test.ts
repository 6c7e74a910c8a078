import { expect, test } from 'vitest';
import { Heartbeats } from '../../../runner-core/listener/heartbeat-frame.ts';
import { StoreUnavailableError } from '../../../runner-core/model/errors.ts';
import type { HostOffers } from '../../../runner-core/wire/host-lease.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { hostProfile } from '../host-exec/host-exec-builders.ts';

function bench() {
  const log = new RecordedLog();
  const given: { offers: HostOffers | null } = { offers: null };
  const heartbeats = new Heartbeats({
    log,
    store: { unsettled: () => [] },
    hostCommands: {
      offers: () => {
        if (given.offers !== null) return given.offers;
        throw new StoreUnavailableError({ act: 'read its settings', systemCode: 'SQLITE_IOERR' });
      },
    },
  });
  const names = (): readonly string[] =>
    heartbeats.frame(2).host_exec_profiles.map(({ name }) => name);
  const told = (): number =>
    log.events().filter((event) => event === 'profiles not read for a heartbeat').length;
  return { given, names, told };
}

const offers = (...profileNames: readonly string[]): HostOffers => ({
  profiles: profileNames.map((name) => hostProfile({ name })),
  leftOut: [],
});

test('a heartbeat goes out with no profiles while they were never read, which is told once', () => {
  const { names, told } = bench();
  expect([names(), names()]).toEqual([[], []]);
  expect(told()).toBe(1);
});

test('while they cannot be read, what was last read is told on; a second fault is told anew', () => {
  const { given, names, told } = bench();
  given.offers = offers('Review');
  expect(names()).toEqual(['Review']);
  given.offers = null;
  expect([names(), names()]).toEqual([['Review'], ['Review']]);
  given.offers = offers();
  expect(names()).toEqual([]);
  given.offers = null;
  expect(names()).toEqual([]);
  expect(told()).toBe(2);
});
