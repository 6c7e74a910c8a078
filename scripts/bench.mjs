// @ts-check
/** `npm run bench NAME [-- --json]`: measures what scripts/bench.ts lists under NAME. */
import { runPrepared } from './setup/run-prepared.mjs';

await runPrepared('scripts/bench.ts', process.argv.slice(2));
