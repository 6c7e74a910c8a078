/** Starts workers as child processes of a plain Node host. */
import { fork, type ChildProcess } from 'node:child_process';
import type { Clock, Log, WorkerHandle } from '../../runner-core/ports.ts';
import type { FromWorker, ToWorker } from '../../runner-core/worker/protocol.ts';
import { STDERR_TAIL_BYTES, workerEnvironment } from './worker-environment.ts';
import { WarmLauncher } from './warm-launcher.ts';
import { WorkerInbox } from './worker-inbox.ts';

/**
 * A worker's objects are short-lived; with V8's own limit of 16 MB a half it keeps some 10 MB more for them at
 * 1,000 lines/s, for no less processor time. Only at the start of a process can it be set.
 */
const SMALL_YOUNG_GENERATION = '--max-semi-space-size=1';

export interface LauncherOptions {
  /** Absolute path of the worker's entry file. */
  readonly entry: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

export class ChildProcessLauncher extends WarmLauncher {
  constructor(options: LauncherOptions) {
    super(() => new ChildWorker(options), options.clock);
  }
}

class ChildWorker implements WorkerHandle {
  readonly exited: WorkerHandle['exited'];
  readonly #child: ChildProcess;
  readonly #inbox: WorkerInbox;

  constructor({ entry, environment, log }: LauncherOptions) {
    this.#inbox = new WorkerInbox((field) => {
      log.error('worker sent a malformed message', { pid: this.pid, field });
      this.kill();
    });
    this.#child = fork(entry, [], {
      env: workerEnvironment(environment),
      execArgv: [SMALL_YOUNG_GENERATION],
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
    this.#child.on('message', (value) => this.#inbox.accept(value));
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
    this.#inbox.onMessage(receive);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
