/** The whole host over a real engine: its database goes while a job runs, and the next host takes the job up. */
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { dataPaths } from '../../main/data-dir.ts';
import { followExecution } from '../../scripts/follow-execution.ts';
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import { systemClock } from '../../runner-core/system.ts';
import {
  newDataDir,
  removeDataDir,
  startHost,
  type HostUnderTest,
} from '../support/host-under-test.ts';

const IMAGE = 'preloop-runner-host-test:bookworm';
const LINES = 400;

async function online(dataDir: string): Promise<HostUnderTest> {
  const under = await startHost({ dataDir });
  onTestFinished(() => under.host.stop('stop'));
  await under.until(({ session }) => session.kind === 'online');
  return under;
}

/** A host with a job that has told some of its lines and goes on telling. */
async function withRunningJob(): Promise<{ under: HostUnderTest; jobId: JobId }> {
  const dataDir = await newDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const under = await online(dataDir);
  const { id } = await under.plane.submit({
    name: 'test',
    agent_type: 'codex',
    image: IMAGE,
    script: `for i in $(seq 1 ${LINES}); do echo "line $i"; sleep 0.02; done
      echo '{"status":"success"}' > /workspace/result.json`,
    // Of its own: a network that another host made is not joined.
    agent_config: { runner: { network: basename(dataDir) } },
  });
  const jobId = toJobId(id);
  if (jobId === undefined) throw new Error('unusable id');
  await under.until(() => (under.host.job(jobId)?.linesAcknowledged ?? 0) > 40);
  return { under, jobId };
}

async function loseDatabase(dataDir: string): Promise<void> {
  const { database } = dataPaths(dataDir);
  for (const suffix of ['', '-wal', '-shm']) await rm(`${database}${suffix}`, { force: true });
}

async function toldLines(under: HostUnderTest, jobId: JobId): Promise<[string, string[]]> {
  const lines: string[] = [];
  const { status } = await followExecution(under.plane, jobId, systemClock, (line) =>
    lines.push(line),
  );
  return [status, lines];
}

async function namesOf(kind: 'container' | 'network', filter: string): Promise<string> {
  const list = kind === 'container' ? ['ps', '-aq'] : ['network', 'ls', '-q'];
  return (await execa('docker', [...list, '--filter', filter])).stdout;
}

const expected = Array.from({ length: LINES }, (_, index) => `line ${index + 1}`);

test('the database alone is lost: every line is told once, and nothing is left', async () => {
  const { under: first, jobId } = await withRunningJob();
  const { dataDir } = first;
  await first.host.stop('leave');
  await loseDatabase(dataDir);
  const second = await online(dataDir);
  const [status, lines] = await toldLines(second, jobId);
  expect([status, lines]).toEqual(['SUCCEEDED', expected]);
  await second.until(() => second.host.job(jobId)?.state.kind === 'settled');
  expect(second.host.job(jobId)).toMatchObject({ lines: LINES, linesAcknowledged: LINES });
  expect(await namesOf('container', `label=ai.preloop.runner-host.execution=${jobId}`)).toBe('');
  expect(await namesOf('network', `name=${basename(dataDir)}`)).toBe('');
});

test('the journals are lost as well: the job is adopted by its labels, and no line is missing', async () => {
  const { under: first, jobId } = await withRunningJob();
  const { dataDir } = first;
  await first.host.stop('leave');
  await loseDatabase(dataDir);
  await rm(join(dataDir, 'journals'), { recursive: true });
  const second = await online(dataDir);
  const [status, lines] = await toldLines(second, jobId);
  expect(status).toBe('SUCCEEDED');
  expect([...new Set(lines)].sort()).toEqual(expected.toSorted());
  await second.until(() => second.host.job(jobId)?.state.kind === 'settled');
  expect(await namesOf('container', `label=ai.preloop.runner-host.execution=${jobId}`)).toBe('');
  expect(await namesOf('network', `name=${basename(dataDir)}`)).toBe('');
});
