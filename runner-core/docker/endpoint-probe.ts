/** The real EndpointProbe: files of this machine, and one version call to whatever is at an address. */
import { access, readdir, readFile, stat } from 'node:fs/promises';
import type { Clock } from '../ports.ts';
import { systemClock } from '../system.ts';
import type { EngineAddress } from '../worker/protocol.ts';
import type { EndpointProbe, Probed } from './engine-choice.ts';
import { isEngineError, type DockerEngine } from './docker-engine.ts';
import { dockerEngine } from './dockerode-engine.ts';

const PROBE_MS = 5_000;

export function endpointProbe(clock: Clock = systemClock): EndpointProbe {
  return {
    readText: (path) => readFile(path, 'utf8').catch(() => undefined),
    exists: (path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    stamp: stampOf,
    probe: (address) => probeEngine(address, clock),
    answers: (address, id) => answersStill(address, id, clock),
    uid: process.getuid?.() ?? null,
  };
}

async function probeEngine(address: EngineAddress, clock: Clock): Promise<Probed> {
  // Looked at first, for a client names a missing socket and a forbidden folder alike.
  if (address.kind === 'socket' && !address.path.startsWith(PIPES)) {
    const code = await statFailure(address.path);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    if (code === 'EACCES') return { kind: 'denied' };
  }
  const engine = dockerEngine(address, clock);
  const done = new AbortController();
  try {
    return await Promise.race([
      engineThere(engine),
      clock.wait(PROBE_MS, done.signal).then((): Probed => {
        return { kind: 'waking' };
      }),
    ]);
  } catch (error) {
    return readFailure(error);
  } finally {
    done.abort();
    engine.close();
  }
}

async function engineThere(engine: DockerEngine): Promise<Probed> {
  const version = await engine.version();
  return { kind: 'engine', engine: version, id: await lastingId(engine) };
}

/** Podman makes up another id for each answer: only one that is the same twice is one. */
async function lastingId(engine: DockerEngine): Promise<string | null> {
  try {
    const id = await engine.engineId();
    return id !== null && (await engine.engineId()) === id ? id : null;
  } catch (error) {
    if (isEngineError(error, 'not_found')) return null;
    throw error;
  }
}

async function answersStill(
  address: EngineAddress,
  id: string | null,
  clock: Clock,
): Promise<boolean> {
  const engine = dockerEngine(address, clock);
  const done = new AbortController();
  try {
    return await Promise.race([
      id === null ? engine.version().then(() => true) : engine.engineId().then((it) => it === id),
      clock.wait(PROBE_MS, done.signal).then(() => false),
    ]);
  } catch {
    return false;
  } finally {
    done.abort();
    engine.close();
  }
}

const PIPES = '//./pipe/';

async function stampOf(path: string): Promise<string> {
  try {
    if (path.startsWith(PIPES)) {
      // To look at a pipe is to open it; the list of all of them opens none.
      const names = await readdir('\\\\.\\pipe\\');
      return names.includes(path.slice(PIPES.length)) ? 'there' : '';
    }
    const { ino, ctimeMs } = await stat(path);
    return `${ino} ${ctimeMs}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'forbidden' : '';
  }
}

async function statFailure(path: string): Promise<string | undefined> {
  try {
    await stat(path);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

function readFailure(error: unknown): Probed {
  if (!isEngineError(error)) return { kind: 'failed', detail: 'it does not speak to us' };
  if (error.kind === 'denied') return { kind: 'denied' };
  if (error.message === 'ECONNREFUSED') return { kind: 'refused' };
  if (error.message === 'ENOENT') return { kind: 'absent' };
  // No engine that is up fails to say its version; what stands in front of one answers so until it is.
  if (error.statusCode !== null && error.statusCode >= 500) return { kind: 'waking' };
  if (error.statusCode !== null)
    return { kind: 'failed', detail: `it answered ${error.statusCode}` };
  return { kind: 'failed', detail: error.message };
}
