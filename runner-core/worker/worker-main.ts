/**
 * Process entry of a worker. Everything heavy is imported before `ready`, so that a worker kept warm starts
 * a job in milliseconds; it opens no socket until then.
 */
import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { warmUpEngineCalls } from '../docker/engine-warm-up.ts';
import type { RegistryLookup } from '../docker/registry-auth.ts';
import { goBehindHost } from '../process/behind-host.ts';
import { keepYoungGenerationSmall } from '../process/small-young-generation.ts';
import { systemClock } from '../system.ts';
import { JobExecution } from './job-execution.ts';
import { openParentLink } from './parent-link.ts';

const EXIT_CRASHED = 1;

keepYoungGenerationSmall();

const execution = new JobExecution({
  clock: systemClock,
  send: (message) => link.send(message),
  credentialsFor,
  shortId: () => randomBytes(4).toString('hex'),
  complain,
});
const link = openParentLink(process, systemClock, {
  message: (message) => {
    if (message.kind === 'run' || message.kind === 'adopt') goBehindHost();
    execution.receive(message);
  },
  // A container that runs goes on; the next host adopts it. A local command is ended: nobody could take it up.
  lost: () => void execution.abandon().finally(() => process.exit(0)),
});
let hasCrashed = false;

// Ctrl-C, or a service manager, signals the whole group. Whether the job ends is for the host to say.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// Nobody may be reading what we print any more.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    if (hasCrashed) return;
    hasCrashed = true;
    execution.crashed(error);
  });
}

void execution.ended
  .then(() => link.flushed())
  .finally(() => process.exit(hasCrashed ? EXIT_CRASHED : 0));
void warmUpEngineCalls(systemClock).then(() => link.send({ kind: 'ready' }));

/** Rare, so it is loaded when an image has to be pulled. */
async function credentialsFor(image: string): Promise<RegistryLookup> {
  const [{ registryCredentials }, { runHelper }] = await Promise.all([
    import('../docker/registry-auth.ts'),
    import('../process/run-helper.ts'),
  ]);
  return registryCredentials(image, { env: process.env, homeDir: homedir(), runHelper });
}

function complain(what: string): void {
  process.stderr.write(`${what}\n`);
}
