import { expect, test } from 'vitest';
import { identityKey, OthersJobsError, refuseOthersJobs } from '../../main/whose-jobs.ts';
import type { KnownIdentity } from '../../main/store/settings-store.ts';
import { runnerIdOf } from '../support/builders.ts';
import { storeAfter } from '../support/job-bench.ts';

const SERVER = 'https://preloop.example.test';
const RUNNER = runnerIdOf('9a1d0000-0000-4000-8000-000000000001');
const STAYS = identityKey(SERVER, false);
const EPHEMERAL = identityKey(SERVER, true);

function start(keys: { database: readonly string[]; credentials: readonly string[] }, own: string) {
  const identity: KnownIdentity = { runnerId: RUNNER, name: 'n', labelsHash: '' };
  const facts = {
    servers: () => keys.database,
    identity: (key: string) => (keys.database.includes(key) ? identity : undefined),
  };
  const vault = {
    servers: () => keys.credentials,
    runnerId: (key: string) => (keys.credentials.includes(key) ? RUNNER : undefined),
  };
  return () => refuseOthersJobs(storeAfter([]), { facts, vault }, own, own === EPHEMERAL);
}

test.each([
  ['as the database has it', [STAYS], [STAYS], STAYS, true],
  ['as the database has it, ephemeral', [EPHEMERAL], [EPHEMERAL], EPHEMERAL, true],
  ['of the other kind', [STAYS], [STAYS], EPHEMERAL, false],
  ['of the other kind, not ephemeral', [EPHEMERAL], [EPHEMERAL], STAYS, false],
  ['after the loss of the database', [], [STAYS], STAYS, true],
  ['after that loss, ephemeral', [], [EPHEMERAL], EPHEMERAL, true],
  ['after that loss, of the other kind', [], [STAYS], EPHEMERAL, false],
  ['after that loss, of the other kind, not ephemeral', [], [EPHEMERAL], STAYS, false],
] as const)('a start over jobs that are held, %s', (_, database, credentials, own, goes) => {
  const starts = start({ database, credentials }, own);
  if (goes) expect(starts).not.toThrow();
  else expect(starts).toThrow(OthersJobsError);
});
