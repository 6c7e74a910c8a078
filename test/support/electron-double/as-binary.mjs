// @ts-check
/**
 * The double in the place of Electron's binary, so that what drives the binary can be tried where there is none: takes
 * its command line, and says where its main process and its Chromium listen, as that does. `-r` is left out: what it
 * names speaks to Electron's own objects, and the double tells and obeys by itself.
 */
import { spawn } from 'node:child_process';
import inspector from 'node:inspector';
import { pathToFileURL } from 'node:url';
import { chromiumPath } from '../../../scripts/setup/ensure-browser.ts';

const given = process.argv.slice(2);
const at = given.findIndex((argument, i) => !argument.startsWith('-') && given[i - 1] !== '-r');
const main = given[at] ?? '';
const ports = given.flatMap(
  (argument) => /^--remote-debugging-port=(\d+)$/.exec(argument)?.[1] ?? [],
);
const dataDir = given[given.indexOf('--data-dir') + 1] ?? '';
// Chromium takes the last.
const port = ports.at(-1);

// A second start has nobody who drives it, and no windows.
if (port !== undefined) {
  process.env['ELECTRON_DOUBLE_CHROMIUM'] = `http://127.0.0.1:${port}`;
  const chromium = spawn(
    chromiumPath(),
    [
      '--no-sandbox',
      '--no-first-run',
      `--remote-debugging-port=${port}`,
      // Nobody speaks over it: it is closed with this process, however that ends, and Chromium ends with it.
      '--remote-debugging-pipe',
      `--user-data-dir=${dataDir}-chromium`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'] },
  );
  process.once('exit', () => chromium.kill('SIGKILL'));
  inspector.open(0);
}
process.argv = [process.argv[0] ?? '', main, ...given.slice(at + 1)];
await import(pathToFileURL(main).href);
