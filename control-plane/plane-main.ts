/** Process entry of the plane: flags, signals, the one ready line on standard output. */
import { systemClock } from '../runner-core/system.ts';
import { readFlags, USAGE, type PlaneFlags } from './plane-flags.ts';
import { jsonLinesLog } from './plane-log.ts';
import { createPlane, type Plane } from './plane.ts';

/** What is used of Electron's `process.parentPort`, which is there in a utility process only. */
interface ParentPort {
  on(event: 'message', receive: () => void): unknown;
}

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const log = jsonLinesLog(systemClock, (line) => void process.stderr.write(line));

function flagsOrExit(): PlaneFlags {
  try {
    return readFlags(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n${USAGE}\n`);
    return process.exit(EXIT_USAGE);
  }
}

async function main(): Promise<void> {
  const flags = flagsOrExit();
  let stop = (): void => process.exit(0);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    // Ctrl-C reaches the host as well, which still needs us to report its jobs and then ends us.
    process.on(signal, () => void (flags.withParent || stop()));
  }
  const port = (process as { readonly parentPort?: ParentPort }).parentPort;
  if (flags.withParent && port !== undefined) {
    // A utility process has no standard input; it ends with its parent, and a message asks for it earlier.
    port.on('message', () => stop());
  } else if (flags.withParent) {
    process.stdin
      .once('end', () => stop())
      .once('close', () => stop())
      .resume();
    process.once('disconnect', () => stop());
  }
  const plane = await createPlane({ ...flags, clock: systemClock, log });
  stop = once(() => void closeAndExit(plane));
  process.stdout.on('error', () => stop());
  process.stdout.write(`${JSON.stringify({ ready: true, url: plane.url })}\n`);
  log.info('plane ready', { url: plane.url, behaviour: flags.behaviour, pid: process.pid });
}

async function closeAndExit(plane: Plane): Promise<void> {
  await plane.close();
  log.info('plane closed');
  process.exit(0);
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

await main().catch((error: unknown) => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  log.error('plane could not start', { code, problem: messageOf(error) });
  process.exit(EXIT_FAILED);
});
