/** The double's line to the test that started it: state out on every change, orders in. */
import { toDoubleSchema, type DesktopState, type Order } from './state.ts';

type Part = keyof DesktopState;
type Handler<K extends Order['kind']> = (order: Extract<Order, { kind: K }>) => unknown;

const parts: { [P in Part]: () => DesktopState[P] } = {
  tray: () => null,
  windows: () => [],
  dialogs: () => [],
  errors: () => [],
  openedOutside: () => [],
  utilities: () => [],
  chromium: () => null,
};
const handlers = new Map<Order['kind'], (order: never) => unknown>();
let isTelling = false;

/** Who knows this part of the state. */
export function shows<P extends Part>(part: P, read: () => DesktopState[P]): void {
  Object.assign(parts, { [part]: read });
}

export function obeys<K extends Order['kind']>(kind: K, handle: Handler<K>): void {
  handlers.set(kind, handle);
}

/** Once a turn, however much changed. */
export function changed(): void {
  if (isTelling) return;
  isTelling = true;
  setImmediate(() => {
    isTelling = false;
    tell({ state: state() });
  });
}

/** Resolves once everything told so far has left. */
export function told(): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected !== true) resolve();
    else process.send?.({ state: state() }, undefined, {}, () => resolve());
  });
}

function state(): DesktopState {
  return {
    tray: parts.tray(),
    windows: parts.windows(),
    dialogs: parts.dialogs(),
    errors: parts.errors(),
    openedOutside: parts.openedOutside(),
    utilities: parts.utilities(),
    chromium: parts.chromium(),
  };
}

function tell(message: unknown): void {
  if (process.connected === true) process.send?.(message, undefined, {}, () => undefined);
}

process.on('message', (value) => {
  const { id, order } = toDoubleSchema.parse(value);
  void (async () => {
    try {
      const handle = handlers.get(order.kind);
      if (handle === undefined) throw new Error(`nothing obeys ${order.kind} yet`);
      tell({ id, result: (await handle(order as never)) ?? null });
    } catch (error) {
      tell({ id, problem: error instanceof Error ? error.message : String(error) });
    }
  })();
});
/** The test is gone, and nobody else would end this process. */
export function onTestGone(act: () => void): void {
  process.on('disconnect', act);
}
