/** Docker, images, disk and store: well, and in each way they can go wrong. */
import { describe, expect, test } from 'vitest';
import { failed, fine, notApplicable, warning } from '../../../../main/services/health/check.ts';
import {
  machineChecks,
  type MachineChecks,
  type MachineSources,
} from '../../../../main/services/health/machine-checks.ts';
import {
  SOUND_STORAGE,
  storageFaults,
  storageSentence,
  type StorageState,
} from '../../../../main/services/views/storage-words.ts';
import type {
  EngineChoice,
  EngineFailureKind,
} from '../../../../runner-core/docker/engine-choice.ts';
import { FakeEngine } from '../../../support/fake-engine.ts';

const GIB = 2 ** 30;
const FOUND: EngineChoice = {
  ok: true,
  address: { kind: 'socket', path: '/var/run/docker.sock' },
  engine: { version: '29.1.2', apiVersion: '1.52', os: 'linux', arch: 'amd64' },
  identity: { id: 'ENGINE-1', at: '/var/run/docker.sock' },
  why: 'context colima',
};
const lost = (kind: EngineFailureKind): EngineChoice => ({
  ok: false,
  failure: { kind, reason: `It is ${kind}.`, remedy: 'Do something.', where: null },
});
const ROOMY: StorageState = {
  ...SOUND_STORAGE,
  freeBytes: 214 * GIB,
  floorBytes: 5 * GIB,
  usedBytes: GIB,
  budgetBytes: 2 * GIB,
};

function checking(given: Partial<MachineSources> = {}): {
  readonly look: (id: keyof MachineChecks) => Promise<unknown>;
  readonly engine: FakeEngine;
} {
  const engine = new FakeEngine();
  const checks = machineChecks({
    engine: () => Promise.resolve(FOUND),
    open: (choice) => (choice.ok ? engine : null),
    lastImage: () => 'debian:bookworm',
    defaultImage: () => 'python:3-slim-bookworm',
    storage: () => Promise.resolve(ROOMY),
    store: () => Promise.resolve({ kind: 'sound' }),
    jobs: () => 418,
    localCommands: () => Promise.resolve(0),
    ...given,
  });
  const { signal } = new AbortController();
  return { look: async (id) => checks[id]({ isAsked: true, signal }), engine };
}

describe('docker', () => {
  test('one that was found says which and by what', async () => {
    expect(await checking().look('docker')).toEqual(fine('29.1.2, found by context colima.'));
  });

  test.each<EngineFailureKind>([
    'not_installed',
    'not_running',
    'no_permission',
    'too_old',
    'unreachable',
  ])('%s fails with the reason and the remedy the search gave', async (kind) => {
    const { look } = checking({ engine: () => Promise.resolve(lost(kind)) });
    expect(await look('docker')).toEqual(failed(`It is ${kind}.`, 'Do something.'));
  });

  test('where it is not installed and local commands are offered, neither it nor an image is missed', async () => {
    const { look } = checking({
      engine: () => Promise.resolve(lost('not_installed')),
      localCommands: () => Promise.resolve(1),
    });
    const unneeded = notApplicable('Docker is not installed. Local commands do without.');
    expect(await look('docker')).toEqual(unneeded);
    expect(await look('images')).toEqual(unneeded);
  });

  test.each<EngineFailureKind>(['not_running', 'no_permission', 'too_old', 'unreachable'])(
    'one that is %s fails whatever is offered beside it',
    async (kind) => {
      const { look } = checking({
        engine: () => Promise.resolve(lost(kind)),
        localCommands: () => Promise.resolve(1),
      });
      expect(await look('docker')).toEqual(failed(`It is ${kind}.`, 'Do something.'));
    },
  );

  test('one that wakes up is a warning only', async () => {
    const { look } = checking({ engine: () => Promise.resolve(lost('waking_up')) });
    expect(await look('docker')).toMatchObject({ state: 'warning' });
  });
});

describe('images', () => {
  test('the one used last is looked for, never fetched, and the engine is closed', async () => {
    const { look, engine } = checking();
    expect(await look('images')).toEqual(fine('debian:bookworm, used last, is here.'));
    expect(engine.calls).toEqual(['image debian:bookworm', 'close']);
  });

  test('one used last that is gone is a warning with the command that fetches it', async () => {
    const { look, engine } = checking({ lastImage: () => 'codex:2026.11' });
    expect(await look('images')).toEqual(
      warning(
        'codex:2026.11, used last, is not here any more; the next job fetches it.',
        'To have it at once: docker pull codex:2026.11',
      ),
    );
    expect(engine.calls).toEqual(['image codex:2026.11', 'close']);
  });

  test('before a first job the default is looked for, and may be missing', async () => {
    const { look, engine } = checking({ lastImage: () => null });
    expect(await look('images')).toMatchObject({ state: 'ok' });
    expect(engine.calls[0]).toBe('image python:3-slim-bookworm');
  });

  test('where no image is known there is nothing to look for', async () => {
    const { look, engine } = checking({ lastImage: () => null, defaultImage: () => null });
    expect(await look('images')).toMatchObject({ state: 'not_applicable' });
    expect(engine.calls).toEqual([]);
  });

  test('an engine that does not answer fails, and is closed', async () => {
    const { look, engine } = checking();
    engine.failNext('image', 'away', 'gone', null);
    expect(await look('images')).toMatchObject({
      state: 'failed',
      remedy: 'Check that Docker runs.',
    });
    expect(engine.calls.at(-1)).toBe('close');
  });
});

describe('disk', () => {
  const look = (storage: Partial<StorageState>): Promise<unknown> =>
    checking({ storage: () => Promise.resolve({ ...ROOMY, ...storage }) }).look('disk');

  test('room enough says how much, the floor and what this runner takes', async () => {
    expect(await look({})).toEqual(
      fine('214 GiB free, the floor is 5 GiB; 1 GiB of 2 GiB in use by this runner.'),
    );
  });

  test('directories of local commands are told apart, with their own budget or without one', async () => {
    const localCommandBytes = 3.4 * GIB;
    expect(await look({ localCommandBytes, localCommandBudgetBytes: 4 * GIB })).toEqual(
      fine(
        '214 GiB free, the floor is 5 GiB; 1 GiB of 2 GiB in use by this runner; 3.4 GiB of 4 GiB kept of local commands.',
      ),
    );
    const rest = '214 GiB free, the floor is 5 GiB; 1 GiB of 2 GiB in use by this runner';
    expect(await look({ localCommandBytes })).toEqual(
      fine(`${rest}; 3.4 GiB kept of local commands.`),
    );
    expect(await look({ localCommandBytes: 0, localCommandBudgetBytes: GIB })).toEqual(
      fine(`${rest}.`),
    );
  });

  test.each([
    ['full', { isFull: true }],
    ['below the floor', { freeBytes: GIB }],
  ])('%s fails in the words of the Overview', async (_, storage) => {
    const words = storageSentence({ ...ROOMY, ...storage });
    expect(await look(storage)).toEqual(
      failed(words?.state ?? '', `${words?.remedy?.label ?? ''}.`),
    );
  });

  test('over its budget it is a warning', async () => {
    expect(await look({ usedBytes: 3 * GIB })).toMatchObject({
      state: 'warning',
      said: 'This runner takes 3 GiB, the budget is 2 GiB.',
    });
  });

  test('free space that cannot be read is said, not taken for room', async () => {
    expect(await look({ freeBytes: null })).toMatchObject({ state: 'warning' });
  });
});

describe('store', () => {
  const [damage] = storageFaults({ ...ROOMY, isDamaged: true });

  test('a sound one says how many jobs it holds', async () => {
    expect(await checking().look('store')).toEqual(fine('418 jobs, quick check passed.'));
  });

  test('one that was not looked at does not claim that it was', async () => {
    const { look } = checking({ store: () => Promise.resolve({ kind: 'in_use' }) });
    expect(await look('store')).toEqual(fine('418 jobs, in use.'));
  });

  test.each([
    ['now', { store: () => Promise.resolve({ kind: 'damaged', detail: 'page 7' } as const) }],
    ['at the start', { storage: () => Promise.resolve({ ...ROOMY, isDamaged: true }) }],
  ])('damage found %s fails in the words of the Overview', async (_, given) => {
    expect(await checking(given).look('store')).toEqual(
      failed(damage?.what ?? '', damage?.why ?? ''),
    );
  });

  test('one that was set aside is a warning', async () => {
    const setAside = { because: 'empty', folder: '/data/set-aside/1' } as const;
    const { look } = checking({ storage: () => Promise.resolve({ ...ROOMY, setAside }) });
    expect(await look('store')).toMatchObject({
      state: 'warning',
      said: 'The database was empty.',
    });
  });

  test('one that is locked cannot be told sound', async () => {
    const { look } = checking({
      store: () => Promise.resolve({ kind: 'unknown', detail: 'SQLITE_BUSY' }),
    });
    expect(await look('store')).toMatchObject({
      state: 'warning',
      said: 'The database could not be looked at (SQLITE_BUSY).',
    });
  });

  test('before the first start there is none', async () => {
    const { look } = checking({ store: () => Promise.resolve({ kind: 'absent' }) });
    expect(await look('store')).toMatchObject({ state: 'not_applicable' });
  });
});
