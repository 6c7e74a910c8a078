// @ts-check
/** `npm run demo`: runs scripts/demo.ts with an engine and the test image at hand. */
import { runPrepared } from './setup/run-prepared.mjs';

await runPrepared('scripts/run-demo.ts', process.argv.slice(2));
