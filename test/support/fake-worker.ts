/** A WorkerLauncher whose workers are played by the test, message by message. */
import type { WorkerHandle, WorkerLauncher } from '../../runner-core/ports.ts';
import type { JobMarker } from '../../runner-core/wire/markers.ts';
import type { LogChunk, LogCursor } from '../../runner-core/model/log-chunk.ts';
import type { Verdict } from '../../runner-core/model/outcome.ts';
import {
  NO_FACTS,
  parseFromWorker,
  type FromWorker,
  type RunFacts,
  type ToWorker,
} from '../../runner-core/worker/protocol.ts';

export class FakeLauncher implements WorkerLauncher {
  readonly workers: FakeWorker[] = [];
  /** Thrown by the next launches. */
  launchError: Error | null = null;
  /** False: a worker says `ready` only when the test makes it. */
  isReadyAtOnce = true;
  isStopped = false;

  launch(): FakeWorker {
    if (this.launchError !== null) throw this.launchError;
    const worker = new FakeWorker(1_000 + this.workers.length);
    this.workers.push(worker);
    if (this.isReadyAtOnce) worker.say({ kind: 'ready' });
    return worker;
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return Promise.resolve();
  }

  /** The newest worker. */
  get worker(): FakeWorker {
    const worker = this.workers.at(-1);
    if (worker === undefined) throw new Error('no worker was launched');
    return worker;
  }
}

export class FakeWorker implements WorkerHandle {
  readonly pid: number;
  readonly received: ToWorker[] = [];
  readonly exited: WorkerHandle['exited'];
  isKilled = false;
  /** False: a kill is not followed by an exit, as with a process stuck in the kernel. */
  diesWhenKilled = true;
  /** Called for each message of the listener, after it was recorded. */
  onReceived: (message: ToWorker) => void = () => undefined;
  readonly #exit = Promise.withResolvers<Awaited<WorkerHandle['exited']>>();
  #hasExited = false;
  #receive: ((message: FromWorker) => void) | null = null;
  #early: FromWorker[] = [];

  constructor(pid: number) {
    this.pid = pid;
    this.exited = this.#exit.promise;
  }

  send(message: ToWorker): void {
    if (this.#hasExited) return;
    this.received.push(message);
    this.onReceived(message);
  }

  onMessage(receive: (message: FromWorker) => void): void {
    this.#receive = receive;
    for (const message of this.#early.splice(0)) receive(message);
  }

  kill(): void {
    this.isKilled = true;
    if (this.diesWhenKilled) this.exit({ code: null, signal: 'SIGKILL' });
  }

  /** The worker sends something that was checked by the schema. */
  say(message: FromWorker): void {
    if (this.#receive === null) this.#early.push(message);
    else this.#receive(message);
  }

  /** The worker sends just anything; as the port demands, a malformed message ends it. */
  sayRaw(value: unknown): void {
    const message = parseFromWorker(value);
    if (message.kind === 'malformed') this.kill();
    else this.say(message);
  }

  log(
    chunks: readonly LogChunk[],
    cursor: LogCursor | null = null,
    markers: readonly JobMarker[] = [],
  ): void {
    this.say({ kind: 'log', chunks, cursor, markers });
  }

  /** Says how the job ended, and exits as a good worker does. */
  end(verdict: Verdict, facts: RunFacts = NO_FACTS): void {
    this.say({ kind: 'ended', verdict, facts });
    this.exit();
  }

  exit(how: { code?: number | null; signal?: string | null; stderrTail?: string } = {}): void {
    this.#hasExited = true;
    const { code = how.signal === undefined ? 0 : null, signal = null, stderrTail = '' } = how;
    this.#exit.resolve({ code, signal, stderrTail });
  }

  receivedOf<Kind extends ToWorker['kind']>(kind: Kind): Extract<ToWorker, { kind: Kind }>[] {
    return this.received.filter(
      (message): message is Extract<ToWorker, { kind: Kind }> => message.kind === kind,
    );
  }
}
