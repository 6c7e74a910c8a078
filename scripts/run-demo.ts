/** Brings what the demo needs of this machine, runs scripts/demo.ts, and puts away what was started. */
import { readCommandFlags } from './setup/command-flags.ts';
import { runOnNode24 } from './setup/run-foreground.mjs';
import { runEntry } from './setup/say.mjs';
import { withEngine } from './setup/with-engine.ts';

const { standIn, rest } = readCommandFlags(process.argv.slice(2));
await runEntry(() =>
  // Local commands need no engine.
  rest.includes('--host-exec')
    ? runOnNode24('scripts/demo-host-exec.ts', rest)
    : withEngine(standIn, (engine) =>
        runOnNode24('scripts/demo.ts', rest, { env: { ...process.env, ...engine.environment } }),
      ),
);
