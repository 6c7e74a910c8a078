// @ts-check
/** `npm run chaos -- --runs N --seed S [--json]`: breaks the built product at random moments and counts what was lost. */
import { runPrepared } from './setup/run-prepared.mjs';

await runPrepared('scripts/chaos.ts', process.argv.slice(2));
