/** The double's line to the test that started it: state out on every change, orders in. */
import { DesktopLine, LINE_VARIABLE } from '../desktop-line.ts';
import { toAppSchema, type DesktopState, type Order } from '../desktop-state.ts';

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
    void line.tell({ state: state() });
  });
}

/** Resolves once everything told so far has left. */
export function told(): Promise<void> {
  return line.tell({ state: state() });
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

async function obey(value: unknown): Promise<void> {
  const { id, order } = toAppSchema.parse(value);
  try {
    const handle = handlers.get(order.kind);
    if (handle === undefined) throw new Error(`nothing obeys ${order.kind} yet`);
    await line.tell({ id, result: (await handle(order as never)) ?? null });
  } catch (error) {
    await line.tell({ id, problem: error instanceof Error ? error.message : String(error) });
  }
}

const line = new DesktopLine(process.env[LINE_VARIABLE], (value) => void obey(value));

/** The test is gone, and nobody else would end this process. */
export function onTestGone(act: () => void): void {
  line.onGone(act);
}

let begin = (): void => undefined;
const begun = new Promise<void>((resolve) => (begin = resolve));
obeys('begin', () => {
  begin();
});

/** Who drives the double as a binary says when to begin; whoever starts it otherwise is ready before it. */
export function mayBegin(): Promise<void> {
  return process.env['ELECTRON_DOUBLE_CHROMIUM'] === undefined ? Promise.resolve() : begun;
}
