/** The engine goes away under a running job, as its clients see it: a relay in front of it is cut and comes back. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startRelay, type Relay } from '../../scripts/bench/relay.ts';
import { followExecution } from '../../scripts/follow-execution.ts';
import { toJobId } from '../../runner-core/model/ids.ts';
import { systemClock } from '../../runner-core/system.ts';
import { ADDRESS, TEST_IMAGE } from '../support/docker-bench.ts';
import { removeDataDir, startHost, type HostUnderTest } from '../support/host-under-test.ts';
import { tempDir } from '../support/temp-dir.ts';

const ENGINE = ADDRESS.kind === 'socket' ? ADDRESS.path : '';
const REPORT = `echo '{"status":"success"}' > /workspace/result.json`;

async function hostBehindRelay(): Promise<{
  under: HostUnderTest;
  readonly loseEngine: () => Promise<void>;
}> {
  const path = join(tempDir(), 'relay.sock');
  const start = (): Promise<Relay> => startRelay({ path }, { path: ENGINE }, () => ({}));
  let relay = await start();
  const environment = { ...process.env, DOCKER_HOST: `unix://${path}` };
  const under = await startHost({ environment });
  onTestFinished(async () => {
    await under.host.stop('stop');
    await removeDataDir(under.dataDir);
    await relay.stop();
  }, 60_000);
  await under.until(({ session }) => session.kind === 'online');
  /** Ends every connection and hangs up on new ones, until somebody tried twice in vain. */
  const loseEngine = async (): Promise<void> => {
    await relay.stop();
    await rm(path, { force: true });
    const triedTwice = Promise.withResolvers<undefined>();
    let tries = 0;
    const refusing = createServer((socket) => {
      socket.destroy();
      tries += 1;
      if (tries === 2) triedTwice.resolve(undefined);
    }).listen(path);
    await triedTwice.promise;
    refusing.close();
    await once(refusing, 'close');
    await rm(path, { force: true });
    relay = await start();
  };
  return { under, loseEngine };
}

test('an engine that goes away under a running job and comes back costs no line and no verdict', async () => {
  const { under, loseEngine } = await hostBehindRelay();
  const { id } = await under.plane.submit({
    name: 'engine loss',
    agent_type: 'codex',
    image: TEST_IMAGE,
    script: `for i in $(seq 1 60); do echo "line $i"; sleep 0.1; done; ${REPORT}`,
  });
  const jobId = toJobId(id);
  if (jobId === undefined) throw new Error('unusable id');
  for (const lines of [5, 25]) {
    await under.until(() => (under.host.job(jobId)?.lines ?? 0) >= lines);
    await loseEngine();
  }
  const lines: string[] = [];
  const ended = await followExecution(under.plane, id, systemClock, (line) => lines.push(line));
  expect(ended.status).toBe('SUCCEEDED');
  expect(lines).toEqual(Array.from({ length: 60 }, (_, index) => `line ${index + 1}`));
});
