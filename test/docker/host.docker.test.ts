/** The spine, whole: plane, host, worker and a real engine. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataPaths } from '../../main/data-dir.ts';
import { openCredentialVault } from '../../main/secrets/credential-vault.ts';
import { openKeyFileBox } from '../../runner-core/sealing/key-file-box.ts';
import { followExecution } from '../../scripts/follow-execution.ts';
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import { systemClock } from '../../runner-core/system.ts';
import { removeDataDir, startHost, type HostUnderTest } from '../support/host-under-test.ts';

const IMAGE = 'preloop-runner-host-test:bookworm';
const REPORT = `echo '{"status":"success"}' > /workspace/result.json`;

let under: HostUnderTest;

beforeEach(async () => {
  under = await startHost();
  await under.until(({ session }) => session.kind === 'online');
});

afterEach(async () => {
  await under.host.stop('stop');
  await removeDataDir(under.dataDir);
});

function definition(script: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: 'test', agent_type: 'codex', image: IMAGE, script, ...more };
}

function idOf(execution: { readonly id: string }): JobId {
  const id = toJobId(execution.id);
  if (id === undefined) throw new Error('unusable id');
  return id;
}

async function runToEnd(submitted: {
  readonly id: string;
}): Promise<{ status: string; lines: string[]; error: string }> {
  const lines: string[] = [];
  const ended = await followExecution(under.plane, submitted.id, systemClock, (line) =>
    lines.push(line),
  );
  return { status: ended.status, lines, error: ended.error_message ?? '' };
}

/** Resolves once the host has its verdict acknowledged. */
async function settled(jobId: JobId): Promise<void> {
  await under.until(() => under.host.job(jobId)?.state.kind === 'settled');
}

async function containersOf(jobId: JobId): Promise<string> {
  const { stdout } = await execa('docker', [
    'ps',
    '-aq',
    '--filter',
    `label=ai.preloop.runner-host.execution=${jobId}`,
  ]);
  return stdout;
}

test('a job runs in a container, its whole log is acknowledged, its verdict accepted, and nothing is left', async () => {
  const submitted = await under.plane.submit(
    definition(
      `for i in $(seq 1 500); do echo "line $i"; done; echo; printf unterminated; ${REPORT}`,
    ),
  );
  const { status, lines } = await runToEnd(submitted);
  expect(status).toBe('SUCCEEDED');
  expect(lines).toEqual([
    ...Array.from({ length: 500 }, (_, index) => `line ${index + 1}`),
    '',
    'unterminated',
  ]);
  await settled(idOf(submitted));
  const job = under.host.job(idOf(submitted));
  expect(job).toMatchObject({ lines: 502, linesAcknowledged: 502 });
  expect(await containersOf(idOf(submitted))).toBe('');
});

test('a stop from the service ends the container and is accepted', async () => {
  const submitted = await under.plane.submit(
    definition(`trap '' TERM; echo started; while :; do sleep 0.1; done`),
  );
  await under.until(() => (under.host.job(idOf(submitted))?.lines ?? 0) > 0);
  await under.plane.stop(submitted.id);
  const { status } = await runToEnd(submitted);
  expect(status).toBe('STOPPED');
  await settled(idOf(submitted));
  expect(under.host.job(idOf(submitted))?.state).toMatchObject({
    verdict: { status: 'STOPPED', reason: { code: 'stopped_by_service' } },
  });
  expect(await containersOf(idOf(submitted))).toBe('');
});

test('a failing script is reported as failed, with a plain reason beside the text for the service', async () => {
  const submitted = await under.plane.submit(definition('echo before; exit 3'));
  const { status, error } = await runToEnd(submitted);
  expect(status).toBe('FAILED');
  expect(error).not.toBe('');
  await settled(idOf(submitted));
  expect(under.host.job(idOf(submitted))?.state).toMatchObject({
    verdict: { outcome: 'failed', exitCode: 3, reason: { code: 'exit_nonzero' } },
  });
});

test('a trusted option is refused by default, with its code, and nothing is started', async () => {
  const submitted = await under.plane.submit(
    definition(REPORT, { agent_config: { runner: { mount_docker_socket: true } } }),
  );
  expect(await runToEnd(submitted)).toMatchObject({ status: 'FAILED', lines: [] });
  await settled(idOf(submitted));
  expect(under.host.job(idOf(submitted))?.state).toMatchObject({
    verdict: { reason: { code: 'permission_needed', facts: { option: 'docker_socket' } } },
  });
});

test('a job goes on while the host is restarted, and is adopted: no line lost or doubled', async () => {
  const submitted = await under.plane.submit(
    definition(`for i in $(seq 1 40); do echo "line $i"; sleep 0.1; done; ${REPORT}`),
  );
  const jobId = idOf(submitted);
  await under.until(() => (under.host.job(jobId)?.lines ?? 0) > 3);
  await under.host.stop('leave');
  under = await startHost({ dataDir: under.dataDir });
  const { status, lines } = await runToEnd(submitted);
  expect(status).toBe('SUCCEEDED');
  expect(lines).toEqual(Array.from({ length: 40 }, (_, index) => `line ${index + 1}`));
  await settled(jobId);
  expect(await containersOf(jobId)).toBe('');
});

test('a job that was leased while the host was stopping is taken with the first frame after the restart', async () => {
  const [, ...others] = await Promise.all(
    [1, 2, 3].map(() => under.plane.submit(definition(`sleep 1; ${REPORT}`))),
  );
  await under.until(({ held }) => held.length === 2);
  await under.host.stop('stop');
  under = await startHost({ dataDir: under.dataDir });
  for (const submitted of others) await runToEnd(submitted);
  await under.host.stop('stop');
  const log = await readFile(dataPaths(under.dataDir).hostLog, 'utf8');
  expect(log).toContain('job accepted');
  expect(log).not.toContain('job left unanswered');
});

test('a canary in token, environment and configurations is in none of our folders, frames or argument lists', async () => {
  const canary = 'canary-4f1d7c9b2a';
  const submitted = await under.plane.submit(
    definition(
      `echo "$MY_TOKEN"; echo "x$MY_TOKEN" >&2; echo started; sleep 2; echo "{\\"status\\":\\"success\\",\\"note\\":\\"$MY_TOKEN\\"}" > /workspace/result.json`,
      {
        env: { MY_TOKEN: canary },
        agent_config: { api_key: canary },
        git_clone_config: { repositories: [{ url: `https://x:${canary}@git.example.test/r` }] },
        custom_commands: { setup: [`export KEY=${canary}`] },
        allowed_mcp_tools: [{ name: 'tool', key: canary }],
      },
    ),
  );
  await under.until(() => (under.host.job(idOf(submitted))?.lines ?? 0) >= 1);
  const commandLines = await argumentLists();
  const { status, lines } = await runToEnd(submitted);
  await settled(idOf(submitted));
  expect(status).toBe('SUCCEEDED');
  // stdout and stderr are two streams: their order is the engine's.
  expect([...lines].sort()).toEqual(['***', 'started', 'x***']);
  expect(commandLines).not.toContain(canary);
  const runnerToken = await runnerTokenIn(under.dataDir);
  expect(runnerToken.length).toBeGreaterThan(20);
  expect(commandLines).not.toContain(runnerToken);
  const found = await filesContaining(under.dataDir, [canary, runnerToken]);
  expect(found).toEqual([]);
});

async function runnerTokenIn(dataDir: string): Promise<string> {
  const paths = dataPaths(dataDir);
  const vault = openCredentialVault(paths.credentials, await openKeyFileBox(paths.sealKey));
  return vault.token('embedded', 'runner') ?? '';
}

async function argumentLists(): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return texts.join('\n');
}

async function filesContaining(folder: string, needles: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const hits: string[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    if (needles.some((needle) => bytes.includes(needle))) hits.push(path);
  }
  return hits;
}
