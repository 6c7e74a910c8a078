/** Who watches a thing for showing it. Never a way to steer: a watcher that throws is ignored, with a note. */
import type { Log } from '../ports.ts';

export type Unwatch = () => void;

export class Watchers<Value> {
  readonly #log: Log;
  readonly #shows = new Set<(value: Value) => void>();

  constructor(log: Log) {
    this.#log = log;
  }

  add(show: (value: Value) => void): Unwatch {
    const entry = (value: Value): void => show(value);
    this.#shows.add(entry);
    return () => void this.#shows.delete(entry);
  }

  tell(value: Value): void {
    for (const show of [...this.#shows]) {
      try {
        show(value);
      } catch (error) {
        this.#log.error('watcher failed', { error });
      }
    }
  }
}
