/**
 * Starts workers and the embedded plane as utility processes: a packaged app has no plain Node beside it.
 * Chromium ends them with this process, however it ends.
 */
import { StringDecoder } from 'node:string_decoder';
import type { ForkOptions, UtilityProcess } from 'electron';
import type { PlaneProcess, StartPlane } from '../main/embedded-plane.ts';
import { WarmLauncher } from '../main/workers/warm-launcher.ts';
import { STDERR_TAIL_BYTES, workerEnvironment } from '../main/workers/worker-environment.ts';
import { WorkerInbox } from '../main/workers/worker-inbox.ts';
import type { LauncherOptions } from '../main/workers/child-process-launcher.ts';
import type { Clock, WorkerHandle } from '../runner-core/ports.ts';
import type { FromWorker, ToWorker } from '../runner-core/worker/protocol.ts';

/** Messages and the end of a process come by two ways. What was sent before the end is here this long after it. */
const LAST_MESSAGES_MS = 100;

/** What is used of Electron's `UtilityProcess`. */
interface Utility extends Pick<UtilityProcess, 'pid' | 'postMessage' | 'stdout' | 'stderr'> {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
  once(event: 'exit', listener: (code: number) => void): unknown;
  once(event: 'spawn', listener: () => void): unknown;
}
/** Electron's `utilityProcess.fork`. */
export type ForkUtility = (entry: string, args: string[], options: ForkOptions) => Utility;

export interface UtilityLauncherOptions extends LauncherOptions {
  readonly fork: ForkUtility;
}

export class UtilityProcessLauncher extends WarmLauncher {
  constructor(options: UtilityLauncherOptions) {
    super(() => new UtilityWorker(options), options.clock);
  }
}

class UtilityWorker implements WorkerHandle {
  readonly exited: WorkerHandle['exited'];
  readonly #child: EndableUtility;
  readonly #inbox: WorkerInbox;

  constructor({ fork, entry, environment, clock, log }: UtilityLauncherOptions) {
    this.#inbox = new WorkerInbox((field) => {
      log.error('worker sent a malformed message', { pid: this.pid, field });
      this.kill();
    });
    const utility = fork(entry, [], {
      env: workerEnvironment(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
      serviceName: 'Preloop worker',
    });
    this.#child = new EndableUtility(utility);
    // Nobody reads it, and a pipe that is not read blocks the worker once it is full.
    utility.stdout?.on('data', () => undefined);
    let tail = '';
    const decoder = new StringDecoder('utf8');
    utility.stderr?.on('data', (bytes: Buffer) => {
      tail = (tail + decoder.write(bytes)).slice(-STDERR_TAIL_BYTES);
    });
    let isOver = false;
    utility.on('message', (value: unknown) => {
      if (!isOver) this.#inbox.accept(value);
    });
    this.exited = this.#child.exited.then(async (code) => {
      await lastMessages(clock);
      isOver = true;
      return { code, signal: null, stderrTail: tail };
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(message: ToWorker): void {
    this.#child.post(message);
  }

  onMessage(receive: (message: FromWorker) => void): void {
    this.#inbox.onMessage(receive);
  }

  kill(): void {
    this.#child.kill();
  }
}

function lastMessages(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(LAST_MESSAGES_MS, resolve));
}

/** A utility process that can be ended for certain; Electron's own `kill` only asks it to end. */
class EndableUtility {
  readonly exited: Promise<number>;
  readonly #utility: Utility;
  #wantsEnd = false;
  #isOver = false;

  constructor(utility: Utility) {
    this.#utility = utility;
    this.exited = new Promise((resolve) => {
      utility.once('exit', (code) => {
        this.#isOver = true;
        resolve(code);
      });
    });
    utility.once('spawn', () => {
      if (this.#wantsEnd) this.kill();
    });
    // Out of memory, say. `exit` follows; without a listener the event would be an error of this process.
    utility.on('error', () => undefined);
  }

  get pid(): number | undefined {
    return this.#utility.pid;
  }

  post(message: unknown): void {
    if (!this.#isOver) this.#utility.postMessage(message);
  }

  kill(): void {
    this.#wantsEnd = true;
    const { pid } = this.#utility;
    // Without a number it has not been started yet; `spawn` follows.
    if (this.#isOver || pid === undefined) return;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended between its end and the word of it.
    }
  }
}

export function utilityPlane(fork: ForkUtility): StartPlane {
  return (entry, args): PlaneProcess => {
    const utility = fork(entry, [...args], {
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
      serviceName: 'Preloop plane',
    });
    const child = new EndableUtility(utility);
    const { stdout, stderr } = utility;
    if (stdout === null || stderr === null)
      throw new Error('a utility process with pipes has them');
    return {
      get pid() {
        return child.pid;
      },
      stdout,
      stderr,
      onExit: (ended) => void child.exited.then((code) => ended({ code, problem: null })),
      release: () => child.post('release'),
      kill: () => child.kill(),
    };
  };
}
