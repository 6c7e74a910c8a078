// @ts-check
/** `npm run shots [-- WORD…]`: pictures of every screen and state, in out/shots/. */
import { runPrepared } from './setup/run-prepared.mjs';

await runPrepared('scripts/shots.ts', process.argv.slice(2));
