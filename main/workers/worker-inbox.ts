/** What a worker says, checked on arrival and kept until somebody listens. One a worker. */
import { parseFromWorker, type FromWorker } from '../../runner-core/worker/protocol.ts';

export class WorkerInbox {
  readonly #malformed: (field: string) => void;
  #receive: ((message: FromWorker) => void) | null = null;
  #early: FromWorker[] = [];

  /** @param malformed called instead of delivering what does not parse */
  constructor(malformed: (field: string) => void) {
    this.#malformed = malformed;
  }

  accept(value: unknown): void {
    const message = parseFromWorker(value);
    if (message.kind === 'malformed') this.#malformed(message.field);
    else if (this.#receive === null) this.#early.push(message);
    else this.#receive(message);
  }

  /** Replays what came before. */
  onMessage(receive: (message: FromWorker) => void): void {
    this.#receive = receive;
    for (const message of this.#early.splice(0)) receive(message);
  }
}
