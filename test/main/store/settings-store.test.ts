import { expect, test } from 'vitest';
import { SettingsStore } from '../../../main/store/settings-store.ts';
import { runnerIdOf } from '../../support/builders.ts';
import { StoreBench } from '../../support/store-bench.ts';

const identity = { runnerId: runnerIdOf('runner-1'), name: 'desk', labelsHash: 'abc' };

test('the host instance is made once and stays the same', () => {
  const bench = new StoreBench();
  expect(new SettingsStore(bench.database).hostInstance(() => 'first')).toBe('first');
  bench.reopen();
  expect(new SettingsStore(bench.database).hostInstance(() => 'second')).toBe('first');
});

test('an identity is kept for each server, the last one counts, and no token goes with it', () => {
  const bench = new StoreBench();
  const store = new SettingsStore(bench.database);
  const withToken = { ...identity, token: 'canary-4711' };
  store.keepIdentity('https://one.test', { ...identity, name: 'old' });
  store.keepIdentity('https://one.test/', withToken);
  store.keepIdentity('https://two.test', { ...identity, name: 'other' });
  bench.reopen();
  const later = new SettingsStore(bench.database);
  expect(later.identity('https://one.test/')).toEqual(identity);
  expect(later.identity('https://two.test')?.name).toBe('other');
  expect(later.servers()).toEqual(['https://one.test', 'https://two.test']);
});

test('a forgotten identity is gone, the others stay', () => {
  const store = new SettingsStore(new StoreBench().database);
  store.keepIdentity('https://one.test', identity);
  store.keepIdentity('https://two.test', identity);
  store.forgetIdentity('https://one.test');
  expect(store.identity('https://one.test')).toBeUndefined();
  expect(store.identity('https://two.test')).toEqual(identity);
});

test.each(['not json', '{}', '{"runnerId":"../x","name":"a","labelsHash":"b"}'])(
  'an entry that reads %s is no identity',
  (text) => {
    const store = new SettingsStore(new StoreBench().database);
    store.set('identity https://one.test', text);
    expect(store.identity('https://one.test')).toBeUndefined();
  },
);
