/** Local commands on the built host, leased over the embedded plane: random runs, and whose tokens they can see. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ACCESS_FILES } from '../../main/api/access-files.ts';
import { dataPaths } from '../../main/data-dir.ts';
import { PLANE_FILES } from '../../main/embedded-plane.ts';
import { openCredentialVault } from '../../main/secrets/credential-vault.ts';
import { openKeyFileBox } from '../../runner-core/sealing/key-file-box.ts';
import { runHostChaos } from '../../scripts/host-exec/chaos.ts';
import { DOUBLE, HostExecGround } from '../../scripts/host-exec/ground.ts';

const RUNS = process.env['LONG_TESTS'] === '1' ? 500 : 50;
const SEED = 1;

test(
  `${RUNS} random runs end with the right verdict and leave no process and no directory`,
  { timeout: RUNS * 4_000 },
  async () => {
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    const total = await runHostChaos({ runs: RUNS, seed: SEED, lanes: 6, say });
    const failed = said.filter((line) => line.includes('FAILED'));
    expect(total, failed.join('\n')).toEqual({
      runs: RUNS,
      wrong_verdicts: 0,
      survivors: 0,
      leaked_directories: 0,
      failed_seeds: [],
    });
  },
);

test('no argument, variable or file of a local command holds a token of the owner or of the runner', async () => {
  const canaries = {
    PRELOOP_TOKEN: 'canary_of_the_client',
    PRELOOP_API_KEY: 'canary_of_the_service',
    AWS_SECRET_ACCESS_KEY: 'canary_of_the_cloud',
  };
  const ground = await HostExecGround.open({
    profiles: [{ name: 'demo', executable: DOUBLE }],
    concurrency: 1,
    environment: canaries,
  });
  onTestFinished(() => ground.close());
  const prompt =
    'play [{"init":true},{"write":{"path":"made","text":"by the command"}},{"result":true}]';
  const id = await ground.submit({ host_exec_profile: 'demo', prompt });
  expect((await ground.ended(id))?.status).toBe('SUCCEEDED');

  const paths = dataPaths(ground.dataDir);
  const vault = openCredentialVault(paths.credentials, await openKeyFileBox(paths.sealKey));
  const read = async (path: string): Promise<string> => (await readFile(path, 'utf8')).trim();
  const tokens = [
    ...Object.values(canaries),
    ...vault.tokens(),
    await read(join(paths.planeDir, PLANE_FILES.token)),
    await read(join(ground.dataDir, ACCESS_FILES.token)),
  ];
  expect(tokens.length).toBeGreaterThanOrEqual(6);

  const [start] = (await ground.receipts(id)).filter(({ what }) => what === 'start');
  const files = await filesUnder(start?.cwd ?? '');
  expect(files).toHaveLength(1);
  const seen = [JSON.stringify(start), ...files, ...(await ground.lines(id))].join('\n');
  expect(seen).toContain('by the command');
  for (const token of tokens) expect(seen.includes(token)).toBe(false);
});

async function filesUnder(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')));
}
