/**
 * Starts workers as child processes of a plain Node host. Owns the environment a worker gets and the
 * one spare that is kept warm; which job a worker carries out is `job-run`'s business.
 */
import { fork, type ChildProcess } from 'node:child_process';
import type { Clock, Log, Timer, WorkerHandle, WorkerLauncher } from '../../runner-core/ports.ts';
import {
  parseFromWorker,
  type FromWorker,
  type ToWorker,
} from '../../runner-core/worker/protocol.ts';

/** A cold start costs about 90 ms, so one idle worker waits for the next job. */
const SPARE_DELAY_MS = 1_000;
const STDERR_TAIL_BYTES = 4_096;

/** All that a worker may inherit: how to find programs, the Docker configuration and a temp folder. */
const INHERITED = [
  'PATH',
  'HOME',
  'USERPROFILE',
  'SYSTEMROOT',
  'APPDATA',
  'LOCALAPPDATA',
  'LANG',
  'TMPDIR',
  'TEMP',
  'TMP',
  'DOCKER_CONFIG',
  'XDG_RUNTIME_DIR',
] as const;

export interface LauncherOptions {
  /** Absolute path of the worker's entry file. */
  readonly entry: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

export class ChildProcessLauncher implements WorkerLauncher {
  readonly #options: LauncherOptions;
  #spare: ChildWorker | null = null;
  #refill: Timer | null = null;
  #stopped = false;

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  /** Starts the first spare. Without it the first job pays for a cold start. */
  warm(): void {
    if (this.#stopped || this.#spare !== null) return;
    const spare = new ChildWorker(this.#options);
    this.#spare = spare;
    void spare.exited.then(() => {
      if (this.#spare === spare) this.#spare = null;
    });
  }

  launch(): WorkerHandle {
    const worker = this.#spare ?? new ChildWorker(this.#options);
    this.#spare = null;
    this.#refill?.cancel();
    // Not at once: the job that just started needs the processor more.
    if (!this.#stopped) this.#refill = this.#options.clock.after(SPARE_DELAY_MS, () => this.warm());
    return worker;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#refill?.cancel();
    const spare = this.#spare;
    this.#spare = null;
    spare?.kill();
    await spare?.exited;
  }
}

class ChildWorker implements WorkerHandle {
  readonly exited: WorkerHandle['exited'];
  readonly #child: ChildProcess;
  readonly #log: Log;
  #receive: ((message: FromWorker) => void) | null = null;
  #early: FromWorker[] = [];

  constructor({ entry, environment, log }: LauncherOptions) {
    this.#log = log;
    const env = Object.fromEntries(
      INHERITED.flatMap((name) =>
        environment[name] === undefined ? [] : [[name, environment[name]]],
      ),
    );
    this.#child = fork(entry, [], {
      env,
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let tail = '';
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-STDERR_TAIL_BYTES);
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        resolve({ code: null, signal: null, stderrTail: error.message });
      });
      this.#child.once('close', (code, signal) => {
        resolve({ code, signal, stderrTail: tail });
      });
    });
    this.#child.on('message', (value) => this.#accept(value));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(message: ToWorker): void {
    if (!this.#child.connected) return;
    // A worker that died between the check and the write is seen by `exited`; the error adds nothing.
    this.#child.send(message, () => undefined);
  }

  onMessage(receive: (message: FromWorker) => void): void {
    this.#receive = receive;
    for (const message of this.#early.splice(0)) receive(message);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #accept(value: unknown): void {
    const message = parseFromWorker(value);
    if (message.kind === 'malformed') {
      this.#log.error('worker sent a malformed message', { pid: this.pid, field: message.field });
      this.kill();
      return;
    }
    if (this.#receive === null) this.#early.push(message);
    else this.#receive(message);
  }
}
