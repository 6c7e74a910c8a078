/** The guard of a process that is killed, by the processes it was to end: they hold a pipe for as long as they live. */
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const CHILD = fileURLToPath(new URL('guarded-child.ts', import.meta.url));

test('members of the group that carry no tag go as well', async () => {
  const alive = join(tempDir(), 'alive');
  execFileSync('mkfifo', [alive]);
  const line = `exec >'${alive}'; (trap '' TERM HUP; echo $$; sleep 60; :) & echo $$; wait; :`;
  const child = fork(CHILD, [line], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const reader = spawn('cat', [alive], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void reader.kill('SIGKILL'));
  const gone = once(reader, 'close');
  const leaders = new Set<string>();
  let lines = 0;
  for await (const leader of createInterface({ input: reader.stdout })) {
    leaders.add(leader);
    lines += 1;
    if (lines === 2) child.kill('SIGKILL');
  }
  expect(await gone).toEqual([0, null]);
  expect([lines, leaders.size]).toEqual([2, 1]);
});
