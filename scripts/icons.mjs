// @ts-check
/** `npm run icons`: draws the images of the desktop shell, as scripts/icons.ts says. */
import { runPrepared } from './setup/run-prepared.mjs';

await runPrepared('scripts/icons.ts', process.argv.slice(2));
