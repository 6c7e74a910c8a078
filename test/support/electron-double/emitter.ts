/** Events by name, with the listener's arguments as types. A name that is not declared throws. */
import { EventEmitter } from 'node:events';

export type EventMap = Readonly<Record<string, readonly unknown[]>>;

export class Emitter<Events extends EventMap> {
  readonly #name: string;
  readonly #known: readonly string[];
  readonly #emitter = new EventEmitter();

  /** @param events every name of Events */
  constructor(name: string, events: readonly (keyof Events & string)[]) {
    this.#name = name;
    this.#known = events;
  }

  on<E extends keyof Events & string>(event: E, listener: (...args: Events[E]) => void): this {
    this.#emitter.on(this.#declared(event), listener);
    return this;
  }

  once<E extends keyof Events & string>(event: E, listener: (...args: Events[E]) => void): this {
    this.#emitter.once(this.#declared(event), listener);
    return this;
  }

  off<E extends keyof Events & string>(event: E, listener: (...args: Events[E]) => void): this {
    this.#emitter.off(this.#declared(event), listener);
    return this;
  }

  /** Whether anybody listens. */
  protected raise<E extends keyof Events & string>(event: E, ...args: Events[E]): boolean {
    return this.#emitter.emit(this.#declared(event), ...args);
  }

  #declared(event: string): string {
    if (this.#known.includes(event)) return event;
    throw new Error(`The Electron double has no event ${this.#name} ${event}`);
  }
}

/** An event that can be prevented, as Electron gives it. */
export class PreventableEvent {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}
