// @ts-check
/**
 * `npm run dev [-- ADDRESS]`: the page with hot reload. Against the host at ADDRESS, as `npm start` or
 * `preloop-host open` prints it, or without one against fixtures, where the code names the state to show.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureDependencies } from './setup/ensure-dependencies.mjs';
import { node24, projectDir } from './setup/places.mjs';
import { runOnNode24 } from './setup/run-foreground.mjs';
import { SetupError, runEntry, say } from './setup/say.mjs';

const FIXTURES_PORT = 4188;

await runEntry(async () => {
  const [given] = process.argv.slice(2);
  if (given !== undefined && !URL.canParse(given))
    throw new SetupError(`"${given}" is no address.`, 'give one like http://127.0.0.1:4178.');
  await ensureDependencies();
  const address = given === undefined ? `http://127.0.0.1:${FIXTURES_PORT}` : new URL(given).origin;
  process.env['PAGE_DEV_HOST'] = address;
  const fixtures = given === undefined ? startFixtures() : undefined;
  say(`The page speaks with ${address}.`);
  const hash = given === undefined ? '#code=typical' : new URL(given).hash;
  const more = given === undefined ? ' (or empty, paused, …)' : '';
  if (hash !== '') say(`Open the address that follows, with ${hash} at its end${more}.`);
  try {
    return await runOnNode24('node_modules/vite/bin/vite.js', []);
  } finally {
    fixtures?.kill();
  }
});

function startFixtures() {
  const script = join(projectDir, 'scripts', 'fixtures-host.ts');
  return spawn(node24, [script, '--port', String(FIXTURES_PORT)], {
    cwd: projectDir,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
