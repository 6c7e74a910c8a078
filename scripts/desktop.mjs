// @ts-check
/** `npm run desktop [-- FLAGS]`: builds, and runs the host as a desktop app. */
import { electronBinary, electronMain } from './setup/electron-binary.mjs';
import { ensureBuild } from './setup/ensure-build.mjs';
import { ensureDependencies } from './setup/ensure-dependencies.mjs';
import { projectDir } from './setup/places.mjs';
import { runForeground } from './setup/run-foreground.mjs';
import { runEntry } from './setup/say.mjs';

await runEntry(async () => {
  await ensureDependencies();
  const { path, problem } = await electronBinary();
  if (path === null) {
    process.stderr.write(
      `${problem} "npm start" runs the same host and opens its page in your browser.\n`,
    );
    return 1;
  }
  await ensureBuild();
  return runForeground(path, [electronMain, ...process.argv.slice(2)], { cwd: projectDir });
});
