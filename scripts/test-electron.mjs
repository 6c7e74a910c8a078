// @ts-check
/** `npm run test:electron [-- FLAGS]`: the stories of the desktop app, on Electron itself; fails where there is none. */
import { electronBinary } from './setup/electron-binary.mjs';
import { ensureBuild } from './setup/ensure-build.mjs';
import { ensureDependencies } from './setup/ensure-dependencies.mjs';
import { runOnNode24 } from './setup/run-foreground.mjs';
import { runEntry } from './setup/say.mjs';

const CONFIG = 'test/desktop-electron/vitest.config.ts';

await runEntry(async () => {
  await ensureDependencies();
  const { path, problem } = await electronBinary();
  if (path === null) {
    process.stderr.write(`${problem} None of its stories ran; name one in ELECTRON_BINARY.\n`);
    return 1;
  }
  await ensureBuild();
  process.env['ELECTRON_BINARY'] = path;
  return runOnNode24('scripts/run-tests.ts', ['--config', CONFIG, ...process.argv.slice(2)]);
});
