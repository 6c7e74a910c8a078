/** The owner's flags among those of Electron, Chromium and the system. */
import { expect, test } from 'vitest';
import { ownFlags } from '../../electron/own-flags.ts';
import { FLAGS } from '../../main/config.ts';

test.each([
  { given: [], kept: [] },
  { given: ['.', '--data-dir', '/x', '--no-open'], kept: ['--data-dir', '/x', '--no-open'] },
  { given: ['--data-dir=/x'], kept: ['--data-dir=/x'] },
  { given: ['--no-sandbox', 'out/electron-main.js', '--name', 'birch'], kept: ['--name', 'birch'] },
  { given: ['--remote-debugging-port=9222', '--inspect', '--js-flags', '--expose-gc'], kept: [] },
  { given: ['-psn_0_12345', '/home/me/job.yaml', 'preloop://open'], kept: [] },
  { given: ['--name', '--no-open'], kept: ['--name', '--no-open'] },
  { given: ['--constructor', '--toString=1'], kept: [] },
  { given: ['--name'], kept: ['--name'] },
])('of $given only $kept are for us', ({ given, kept }) => {
  expect(ownFlags(given, FLAGS)).toEqual(kept);
});
