import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { registryCredentials } from '../../runner-core/docker/registry-auth.ts';
import { runHelper } from '../../runner-core/process/run-helper.ts';
import { tempDir } from '../support/temp-dir.ts';

const HUB = 'https://index.docker.io/v1/';

test('a real helper gets the server on its input and only constant words in its arguments', async () => {
  const folder = tempDir();
  const seen = join(folder, 'seen');
  const helper = join(folder, 'docker-credential-test');
  const script = `#!/bin/sh\nprintf '%s ' "$@" > ${seen}\ncat >> ${seen}\necho '{"Username":"me","Secret":"s"}'\n`;
  await writeFile(helper, script);
  await chmod(helper, 0o755);
  await writeFile(join(folder, 'config.json'), JSON.stringify({ credsStore: 'test' }));
  const found = await registryCredentials('ubuntu', {
    env: { PATH: `${folder}:/usr/bin:/bin`, DOCKER_CONFIG: folder },
    homeDir: '/nowhere',
    runHelper,
  });
  expect(found.credentials).toEqual({ username: 'me', password: 's', serveraddress: HUB });
  expect(await readFile(seen, 'utf8')).toBe(`get ${HUB}`);
});

test('a real helper that never ends is cut off', async () => {
  const run = {
    command: 'sleep',
    args: ['60'],
    input: '',
    timeoutMs: 100,
    env: { PATH: '/usr/bin:/bin' },
  };
  expect(await runHelper(run)).toEqual({ kind: 'timed_out' });
});
