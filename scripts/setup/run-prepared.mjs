// @ts-check
/** What every command of this project does first: dependencies, build, then its script on Node 24. */
import { ensureBuild } from './ensure-build.mjs';
import { ensureDependencies } from './ensure-dependencies.mjs';
import { runOnNode24 } from './run-foreground.mjs';
import { runEntry } from './say.mjs';

/**
 * Makes a fresh clone ready, then runs `script` in the foreground; its exit code becomes ours.
 *
 * @param {string} script path within the project
 * @param {readonly string[]} args
 */
export function runPrepared(script, args) {
  return runEntry(async () => {
    await ensureDependencies();
    await ensureBuild();
    return runOnNode24(script, args);
  });
}
