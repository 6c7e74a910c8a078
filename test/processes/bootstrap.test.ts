import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EvidenceUpload } from '../../runner-core/model/outcome.ts';
import { asciiJsonBytes } from '../../runner-core/wire/json-measure.ts';
import { BOOTSTRAP, LINE_END_MARK } from '../../runner-core/wire/launch.ts';
import {
  BOOTSTRAP_CASES,
  expectBootstrapRun,
  type BootstrapRun,
} from '../support/bootstrap-cases.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bootstrap-test-'));
  await writeFile(join(folder, 'result.json'), '{"status":"success","stale":true}');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The bootstrap with a folder of the test in the place of the container's. */
const localBootstrap = (): string =>
  BOOTSTRAP.replaceAll('/workspace', folder).replaceAll('/tmp/preloop-', `${folder}/preloop-`);

async function run(
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BootstrapRun> {
  const { exitCode, stdout, stderr } = await execa('/bin/bash', ['-c', localBootstrap()], {
    env: { PATH: process.env['PATH'], PRELOOP_RUNNER_SCRIPT: script, ...env },
    extendEnv: false,
    reject: false,
  });
  return { exitCode, stdout, stderr };
}

describe('the bootstrap', () => {
  test.each(BOOTSTRAP_CASES.map((row) => [row.name, row] as const))('%s', async (_name, row) => {
    expectBootstrapRun(await run(row.script, row.env), row);
  });

  test.each<[string, string | undefined, EvidenceUpload]>([
    ['uploaded', 'exit 0', 'uploaded'],
    ['absent', 'exit 2', 'absent'],
    ['failed', 'exit 3', 'failed'],
    ['failed without a client', undefined, 'failed'],
  ])('tells that evidence was %s', async (_name, client, evidenceUpload) => {
    const code = client?.replace('exit', '');
    const program = `import sys; sys.exit(${code ?? ''} if sys.argv[1:] == ["evidence"] else 9)`;
    if (client !== undefined)
      await writeFile(join(folder, 'preloop-checkpoint-client.py'), program);
    const script = `printf '{"status":"pass"}' > result.json`;
    const row = { name: '', script, exitCode: 0, reading: { evidenceUpload } };
    expectBootstrapRun(await run(script, { PRELOOP_EVIDENCE_PUT_TOKEN: 't' }), row);
  });

  test.each(['true', 'exit 3', 'kill -KILL $$'])(
    'of a script (%s) that ends before the bootstrap goes on, Bash prints no notice',
    async (script) => {
      const slow = join(folder, 'slow.sh');
      const untilGone = 'while [ -n "${harness:-}" ] && kill -0 "$harness" 2>/dev/null; do :; done';
      await writeFile(slow, `unset BASH_ENV\ntrap '${untilGone}' DEBUG\n`);
      const { stdout, stderr } = await run(script, { BASH_ENV: slow, HOME: folder });
      expect(stderr).toBe('');
      expect(stdout.split('\n')[0]).toBe(LINE_END_MARK);
    },
  );

  test('a folder in the place of the result ends it before the script runs', async () => {
    await rm(join(folder, 'result.json'));
    await execa('mkdir', [join(folder, 'result.json')]);
    expect(await run('echo ran')).toMatchObject({ exitCode: 1, stdout: '' });
  });

  test('TERM reaches the agent, which is waited for and may still write its result', async () => {
    const agent = `trap 'sleep 1; printf "{\\"status\\":\\"failed\\"}" > result.json; exit 5' TERM
      echo ready
      while :; do sleep 60 & wait $!; done`;
    await writeFile(join(folder, 'agent.sh'), agent);
    const child = execa('/bin/bash', ['-c', localBootstrap()], {
      env: { PATH: process.env['PATH'], PRELOOP_RUNNER_SCRIPT: 'bash agent.sh; exit $?' },
      extendEnv: false,
      reject: false,
    });
    child.stdout.once('data', () => child.kill('SIGTERM'));
    const { exitCode, stdout, stderr } = await child;
    const reading = { exitCode: 143, result: { status: 'failed' } } as const;
    const row = { name: '', script: '', exitCode: 143, reading, lines: ['ready'] };
    expectBootstrapRun({ exitCode, stdout, stderr }, row);
  });
});

test('asciiJsonBytes measures what Python writes', async () => {
  const numbers = Array.from({ length: 40 }, (_, power) => [
    1.5 * 10 ** (power - 20),
    -(10 ** (power - 12)),
  ]);
  const values = [numbers, { é: ['\u{1f600}\0\x7f"\\/\n\v', true, null, -0, {}] }, [[], {}]];
  const program =
    'import json, sys; print(json.dumps([len(json.dumps(v)) for v in json.load(sys.stdin)]))';
  const { stdout } = await execa('python3', ['-c', program], { input: JSON.stringify(values) });
  expect(values.map(asciiJsonBytes)).toEqual(JSON.parse(stdout));
});
