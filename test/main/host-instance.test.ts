import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keptInstance } from '../../main/host-instance.ts';
import { RecordedLog } from '../support/recorded-log.ts';
import { tempDir } from '../support/temp-dir.ts';

const FIRST = '5f0c2a34-8d1e-4b7a-9c55-000000000001';
const OTHER = '5f0c2a34-8d1e-4b7a-9c55-000000000002';

/** A database's own memory of it. */
function facts(known?: string): { hostInstance: (newId: () => string) => string } {
  let held = known;
  return { hostInstance: (newId) => (held ??= newId()) };
}

test('the host keeps its id when its database is lost', () => {
  const path = join(tempDir(), 'instance');
  const log = new RecordedLog();
  expect(keptInstance(facts(), path, () => FIRST, log)).toBe(FIRST);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(keptInstance(facts(), path, () => OTHER, log)).toBe(FIRST);
});

test("a database's own id counts, and the file is made to agree; one that does not read is none", () => {
  const path = join(tempDir(), 'instance');
  const log = new RecordedLog();
  writeFileSync(path, 'noise');
  expect(keptInstance(facts(OTHER), path, () => FIRST, log)).toBe(OTHER);
  expect(readFileSync(path, 'utf8')).toBe(OTHER);
});

test('a file that cannot be written costs nothing but the file', () => {
  const log = new RecordedLog();
  const path = join(tempDir(), 'none', 'instance');
  expect(keptInstance(facts(), path, () => FIRST, log)).toBe(FIRST);
  expect(log.events()).toEqual(['host instance not kept beside the database']);
});
