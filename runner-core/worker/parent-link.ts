/**
 * The line to the listener; the only file that knows both kinds of channel: child_process's IPC and the
 * `parentPort` of an Electron utility process. Sending after the loss of the listener does nothing.
 */
import type { Clock } from '../ports.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

export interface ParentLink {
  send(message: FromWorker): void;
  /** Resolves when everything sent so far has left this process, or the listener is lost. */
  flushed(): Promise<void>;
}
export interface ParentLinkEvents {
  message(message: ToWorker): void;
  /** The listener is gone. At most once. */
  lost(): void;
}

/** What we use of Node's process as a forked child. */
export interface IpcProcess {
  send?(
    message: unknown,
    handle: undefined,
    options: object,
    done: (error: Error | null) => void,
  ): boolean;
  on(event: 'message', receive: (message: unknown) => void): unknown;
  on(event: 'disconnect', act: () => void): unknown;
  readonly connected?: boolean;
}
/** What we use of Electron's `process.parentPort`. */
export interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', receive: (event: { readonly data: unknown }) => void): unknown;
}

/** Electron gives no sign when a message has left; a process that ends too soon takes it along. */
const PORT_FLUSH_MS = 50;

/** Opens the channel this process was started with. Throws when it was started with none. */
export function openParentLink(
  host: IpcProcess & { readonly parentPort?: ParentPort },
  clock: Clock,
  events: ParentLinkEvents,
): ParentLink {
  if (host.parentPort !== undefined) return openPort(host.parentPort, clock, events);
  if (host.send === undefined) throw new Error('a worker is started by a runner host');
  return openIpc(host, events);
}

function openIpc(host: IpcProcess, events: ParentLinkEvents): ParentLink {
  let isLost = false;
  let sending = Promise.resolve();
  host.on('message', (message) => deliver(message, events));
  host.on('disconnect', () => {
    isLost = true;
    events.lost();
  });
  return {
    send(message) {
      if (isLost || host.connected === false) return;
      // The callback also swallows what Node would throw as an 'error' event on a closed channel.
      const sent = new Promise<void>((resolve) => {
        host.send?.(message, undefined, {}, () => resolve());
      });
      sending = Promise.all([sending, sent]).then(() => undefined);
    },
    flushed: () => sending,
  };
}

/** Electron tells nobody of the loss: it ends this process with its app, and what a job started is the guard's then. */
function openPort(port: ParentPort, clock: Clock, events: ParentLinkEvents): ParentLink {
  port.on('message', ({ data }) => deliver(data, events));
  return {
    send: (message) => port.postMessage(message),
    flushed: () => clock.wait(PORT_FLUSH_MS),
  };
}

const KINDS: readonly string[] = [
  'run',
  'adopt',
  'run_host',
  'start_granted',
  'noted',
  'log_stored',
  'verdict_noted',
  'secrets',
  'stop',
];

/**
 * The listener is our own program of the same build, started us, and is trusted with all we hold: its
 * messages are recognised by kind and not parsed field by field. Others are dropped.
 */
function deliver(message: unknown, events: ParentLinkEvents): void {
  const kind = (message as { readonly kind?: unknown } | null)?.kind;
  if (typeof kind === 'string' && KINDS.includes(kind)) events.message(message as ToWorker);
}
