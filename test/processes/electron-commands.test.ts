/** The two commands that need Electron, where there is none: one line, at once, and no success. */
import { execa } from 'execa';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectDir } from '../../scripts/setup/places.mjs';

const NOWHERE = join(projectDir, 'no-such-electron');

test.each([
  [
    'desktop.mjs',
    `There is no Electron at ${NOWHERE} (ELECTRON_BINARY). "npm start" runs the same host and opens its page in your browser.`,
  ],
  [
    'test-electron.mjs',
    `There is no Electron at ${NOWHERE} (ELECTRON_BINARY). None of its stories ran; name one in ELECTRON_BINARY.`,
  ],
])('%s says in one line that there is no Electron, and fails', async (script, line) => {
  const { exitCode, all } = await execa(process.execPath, [join(projectDir, 'scripts', script)], {
    env: { ELECTRON_BINARY: NOWHERE },
    all: true,
    reject: false,
  });
  expect({ exitCode, all }).toEqual({ exitCode: 1, all: line });
});

test('the stories on Electron itself fail, and are not passed over, where nobody names one', async () => {
  const vitest = join(projectDir, 'node_modules/vitest/vitest.mjs');
  const config = join(projectDir, 'test/desktop-electron/vitest.config.ts');
  const args = [vitest, 'run', '--config', config, '-t', 'comes online', '--bail', '1'];
  const { exitCode, all } = await execa(process.execPath, args, {
    cwd: projectDir,
    env: { ELECTRON_BINARY: '', NO_COLOR: '1' },
    all: true,
    reject: false,
  });
  expect(exitCode).toBe(1);
  expect(all).toContain('ELECTRON_BINARY names no Electron');
});
