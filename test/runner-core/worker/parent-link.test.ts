import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { openParentLink, type ParentLink } from '../../../runner-core/worker/parent-link.ts';
import type { FromWorker, ToWorker } from '../../../runner-core/worker/protocol.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const READY: FromWorker = { kind: 'ready' };
const STORED: ToWorker = { kind: 'log_stored', throughSeq: 7 };

/** A forked child's side of Node's channel. */
class ForkedProcess extends EventEmitter {
  connected = true;
  readonly sent: { readonly message: unknown; readonly done: (error: Error | null) => void }[] = [];
  send(
    message: unknown,
    _handle: undefined,
    _options: object,
    done: (error: Error | null) => void,
  ): boolean {
    this.sent.push({ message, done });
    return true;
  }
}
/** A utility process's port, as Electron gives it. */
class Port extends EventEmitter {
  readonly posted: unknown[] = [];
  postMessage(message: unknown): void {
    this.posted.push(message);
  }
}

function open(host: ForkedProcess | { parentPort: Port } | object): {
  link: ParentLink;
  received: ToWorker[];
  clock: FakeClock;
  lost: () => number;
} {
  const received: ToWorker[] = [];
  const clock = new FakeClock();
  let losses = 0;
  const link = openParentLink(host as ForkedProcess, clock, {
    message: (message) => received.push(message),
    lost: () => (losses += 1),
  });
  return { link, received, clock, lost: () => losses };
}

test('over a forked channel both sides hear each other, and nonsense is dropped', () => {
  const host = new ForkedProcess();
  const { link, received } = open(host);
  link.send(READY);
  for (const message of [STORED, null, 7, {}, { kind: 'made' }]) host.emit('message', message);
  expect(host.sent.map(({ message }) => message)).toEqual([READY]);
  expect(received).toEqual([STORED]);
});

test('over a forked channel flushed waits for every message, also for one that failed', async () => {
  const host = new ForkedProcess();
  const { link } = open(host);
  link.send(READY);
  link.send(READY);
  let isFlushed = false;
  const flushed = link.flushed().then(() => (isFlushed = true));
  host.sent[1]?.done(null);
  await Promise.resolve();
  expect(isFlushed).toBe(false);
  host.sent[0]?.done(new Error('EPIPE'));
  await flushed;
});

test('after the loss of the listener nothing is sent', () => {
  const host = new ForkedProcess();
  const { link, lost } = open(host);
  host.emit('disconnect');
  link.send(READY);
  expect(lost()).toBe(1);
  expect(host.sent).toEqual([]);
});

test('a channel that closed before its loss was told takes nothing either', () => {
  const host = new ForkedProcess();
  const { link } = open(host);
  host.connected = false;
  link.send(READY);
  expect(host.sent).toEqual([]);
});

test('in a utility process both sides hear each other, and flushing takes a moment', async () => {
  const parentPort = new Port();
  const { link, received, clock } = open({ parentPort });
  link.send(READY);
  parentPort.emit('message', { data: STORED });
  expect(parentPort.posted).toEqual([READY]);
  expect(received).toEqual([STORED]);
  const flushed = link.flushed();
  await clock.advance(50);
  await flushed;
});

test('a process that nobody can talk to refuses to be a worker', () => {
  expect(() => open(new EventEmitter())).toThrow('started by a runner host');
});
