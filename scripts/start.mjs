// @ts-check
/** `npm start [-- FLAGS]`: runs the host with these flags. */
import { runPrepared } from './setup/run-prepared.mjs';

await runPrepared('out/headless.js', process.argv.slice(2));
