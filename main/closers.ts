/** The end of what was opened, in reverse. */
import type { HostLog } from './log.ts';

/** Everything opened so far, closed in reverse; each step's failure is logged and does not stop the rest. */
export class Closers {
  readonly #steps: { readonly name: string; readonly close: () => unknown }[] = [];

  add(name: string, close: () => unknown): void {
    this.#steps.unshift({ name, close });
  }

  async closeAll(log: HostLog): Promise<void> {
    for (const { name, close } of this.#steps.splice(0)) {
      try {
        await close();
      } catch (error) {
        log.error('closing failed', { step: name, error });
      }
    }
  }
}
