// @ts-check
/** `npm test [-- FLAGS]`: runs the tests; the flags are explained in scripts/run-tests.ts. */
import { runPrepared } from './setup/run-prepared.mjs';

await runPrepared('scripts/run-tests.ts', process.argv.slice(2));
