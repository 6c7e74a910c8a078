import { expect, test } from 'vitest';
import type { PageViews, RequestHandlers } from '../../../main/api/page-source.ts';
import {
  MAX_REQUESTS,
  MAX_UNSENT_BYTES,
  MAX_WATCHES,
  SocketSession,
  type PageSocket,
} from '../../../main/api/socket-session.ts';
import {
  AUTHENTICATE_WITHIN_MS,
  hostFrameSchema,
  type HostFrame,
} from '../../../main/contract/frames.ts';
import { CONTRACT_VERSION } from '../../../main/contract/version.ts';
import { ApiBench } from '../../support/api-bench.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

const TOKEN = 'good';
const SIGN_IN = { kind: 'authenticate', token: TOKEN, contract: CONTRACT_VERSION };

class FakeSocket implements PageSocket {
  readonly sent: HostFrame[] = [];
  closedWith: number | null = null;
  isTerminated = false;
  unsent = 0;
  /** False: what is sent stays in our memory. */
  takes = true;

  send(text: string): Promise<void> {
    this.sent.push(hostFrameSchema.parse(JSON.parse(text)));
    if (this.takes) return Promise.resolve();
    this.unsent += text.length;
    return new Promise(() => undefined);
  }
  unsentBytes(): number {
    return this.unsent;
  }
  close(code: number): void {
    this.closedWith = code;
  }
  terminate(): void {
    this.isTerminated = true;
  }
}

function sessionBench(
  given: {
    views?: Partial<PageViews>;
    handlers?: Partial<RequestHandlers>;
    signedIn?: boolean;
  } = {},
) {
  const clock = new FakeClock();
  const api = new ApiBench({ clock });
  const socket = new FakeSocket();
  const session = new SocketSession(
    {
      clock,
      log: api.log,
      version: '1.2.3',
      isSignedIn: (token) => token === TOKEN,
      views: { ...api.views, ...given.views },
      handlers: { ...api.handlers, ...given.handlers },
      subjects: api.subjects,
    },
    socket,
  );
  const send = (frame: unknown): void => session.receive(JSON.stringify(frame));
  if (given.signedIn !== false) {
    send(SIGN_IN);
    socket.sent.length = 0;
  }
  return { clock, socket, session, send, subjects: api.subjects, log: api.log };
}

test('a page that does not sign in within five seconds is closed', async () => {
  const { clock, socket } = sessionBench({ signedIn: false });
  await clock.advance(AUTHENTICATE_WITHIN_MS - 1);
  expect(socket.closedWith).toBeNull();
  await clock.advance(1);
  expect(socket.sent).toMatchObject([{ kind: 'refused', problem: { code: 'unauthenticated' } }]);
  expect(socket.closedWith).toBe(1008);
});

test('a page that signed in stays, and leaves no timer behind', async () => {
  const { clock, socket } = sessionBench();
  expect(clock.pending).toBe(0);
  await clock.advance(AUTHENTICATE_WITHIN_MS);
  expect(socket.closedWith).toBeNull();
});

test.each([
  { kind: 'watch', id: 1, topic: 'jobs', parameters: {} },
  { kind: 'request', id: 1, name: 'host.pause', input: {} },
  { kind: 'unwatch', id: 1 },
  { kind: 'taken', id: 1 },
])('nothing is done for a page that did not sign in: $kind', async (frame) => {
  let isDone = false;
  const { send, socket } = sessionBench({
    signedIn: false,
    handlers: {
      'host.pause': () => {
        isDone = true;
        return {};
      },
    },
  });
  send(frame);
  send(SIGN_IN);
  await settle();
  expect(socket.sent).toMatchObject([{ kind: 'refused', problem: { code: 'unauthenticated' } }]);
  expect([socket.closedWith, isDone]).toEqual([1008, false]);
});

test('a second sign-in ends the session: our page never does that', () => {
  const { send, socket } = sessionBench();
  send(SIGN_IN);
  expect(socket.closedWith).toBe(1008);
});

test('a request is answered under its number', async () => {
  const { send, socket } = sessionBench();
  send({ kind: 'request', id: 7, name: 'host.pause', input: {} });
  await settle();
  expect(socket.sent).toEqual([{ kind: 'result', id: 7, result: {} }]);
});

test.each([
  ['an unknown request', 'host.erase', {}, { code: 'unknown_request', field: null }],
  ['a name every object has', 'toString', {}, { code: 'unknown_request', field: null }],
  ['input of the wrong kind', 'job.stop', { jobId: 1 }, { code: 'bad_input', field: 'jobId' }],
  ['input with a field too many', 'host.pause', { now: true }, { code: 'bad_input', field: '' }],
])('%s fails alone, and the session goes on', async (_, name, input, problem) => {
  const { send, socket } = sessionBench();
  send({ kind: 'request', id: 1, name, input });
  send({ kind: 'request', id: 2, name: 'host.pause', input: {} });
  await settle();
  expect(socket.sent).toMatchObject([
    { kind: 'failed', id: 1, problem },
    { kind: 'result', id: 2 },
  ]);
});

test('an error of our own is logged, and the page is not told its text', async () => {
  const { send, socket, log } = sessionBench({
    handlers: {
      'host.pause': () => {
        throw new TypeError('secret inside');
      },
    },
  });
  send({ kind: 'request', id: 1, name: 'host.pause', input: {} });
  await settle();
  expect(socket.sent).toMatchObject([{ kind: 'failed', problem: { code: 'internal' } }]);
  expect(JSON.stringify(socket.sent)).not.toContain('secret inside');
  expect(log.events()).toEqual(['page request failed']);
});

test('so many requests are carried out at once, and the next is told to wait', async () => {
  const { send, socket } = sessionBench({
    handlers: { 'engine.check': () => new Promise(() => undefined) },
  });
  for (let id = 0; id <= MAX_REQUESTS; id++)
    send({ kind: 'request', id, name: 'engine.check', input: {} });
  await settle();
  expect(socket.sent).toMatchObject([
    { kind: 'failed', id: MAX_REQUESTS, problem: { code: 'busy' } },
  ]);
});

test('a watch gets its value, then the next after a change, until it is ended', async () => {
  let revision = 1;
  const { clock, send, socket, subjects } = sessionBench({
    views: { jobs: () => ({ revision, total: 0 }) },
  });
  const changeTo = async (next: number): Promise<void> => {
    revision = next;
    subjects.touch('jobs');
    await clock.advance(1_000);
  };
  send({ kind: 'watch', id: 3, topic: 'jobs', parameters: {} });
  await changeTo(2);
  send({ kind: 'unwatch', id: 3 });
  await changeTo(3);
  expect(socket.sent).toEqual([
    { kind: 'value', id: 3, value: { revision: 1, total: 0 } },
    { kind: 'value', id: 3, value: { revision: 2, total: 0 } },
  ]);
});

test.each([
  ['an unknown topic', 'secrets', {}, 'unknown_topic'],
  ['a name every object has', 'constructor', {}, 'unknown_topic'],
  ['parameters that do not fit', 'job', { id: 'x' }, 'bad_parameters'],
  ['a negative record', 'job_log', { jobId: 'x', fromRecord: -1 }, 'bad_parameters'],
])('a watch of %s fails', async (_, topic, parameters, code) => {
  const { send, socket } = sessionBench();
  send({ kind: 'watch', id: 1, topic, parameters });
  await settle();
  expect(socket.sent).toMatchObject([{ kind: 'failed', id: 1, problem: { code } }]);
});

test('a number that is watched cannot be taken twice, and so many watches are enough', async () => {
  const { send, socket } = sessionBench();
  for (let id = 0; id < MAX_WATCHES; id++)
    send({ kind: 'watch', id, topic: 'jobs', parameters: {} });
  send({ kind: 'watch', id: 0, topic: 'jobs', parameters: {} });
  send({ kind: 'watch', id: 9_999, topic: 'jobs', parameters: {} });
  await settle();
  expect(socket.sent.filter(({ kind }) => kind === 'failed')).toMatchObject([
    { id: 0, problem: { code: 'watch_taken' } },
    { id: 9_999, problem: { code: 'too_many_watches' } },
  ]);
});

test('a page that asks on and takes nothing is cut off before it fills our memory', async () => {
  const text = 'x'.repeat(1024 * 1024);
  const { send, socket, log } = sessionBench({
    handlers: {
      'log.page': () => ({
        records: [{ record: 0, line: 0, atMs: 0, flags: 0, text }],
        nextRecord: 1,
      }),
    },
  });
  socket.takes = false;
  const input = { jobId: 'j', fromRecord: 0, limit: 1 };
  for (let id = 0; id < MAX_REQUESTS; id++) {
    send({ kind: 'request', id, name: 'log.page', input });
    socket.unsent += 1024 * 1024;
    await settle();
  }
  expect(socket.isTerminated).toBe(true);
  expect(socket.unsent).toBeLessThan(2 * MAX_UNSENT_BYTES + 4 * 1024 * 1024);
  expect(log.events()).toEqual(['page cut off']);
});

test('a socket that closed stops all it watched', async () => {
  let reads = 0;
  const { clock, send, session, subjects } = sessionBench({
    views: {
      jobs: () => {
        reads += 1;
        return { revision: reads, total: 0 };
      },
    },
  });
  send({ kind: 'watch', id: 1, topic: 'jobs', parameters: {} });
  subjects.touch('jobs');
  session.closed();
  await clock.advance(10_000);
  subjects.touch('jobs');
  expect([reads, clock.pending]).toEqual([1, 0]);
});
