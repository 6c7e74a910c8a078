/** The one socket: signing in, asking, watching, and all of it again after a loss. */
import { expect, test } from 'vitest';
import { CONTRACT_VERSION } from '../../main/contract/version.ts';
import { retryDelayMs } from '../../renderer/host-client/connection.ts';
import { ANSWER_WITHIN_MS, PROOF_EVERY_MS } from '../../renderer/host-client/host-client.ts';
import { ClientBench } from './client-bench.ts';

const problem = (code: string) => ({ code, message: 'It is so.', remedy: null, field: null });

test('the first frame carries the token and the contract, and only ready means connected', async () => {
  const bench = new ClientBench();
  await bench.client.connect();
  bench.socket.onopen?.();
  expect(bench.socket.sent).toEqual([
    { kind: 'authenticate', token: 'token-1', contract: CONTRACT_VERSION },
  ]);
  expect(bench.client.connection.kind).toBe('connecting');

  bench.socket.receive({ kind: 'ready', contract: CONTRACT_VERSION, version: '0.1.0' });
  expect(bench.client.connection).toEqual({
    kind: 'connected',
    sinceMs: 1_000_000,
    version: '0.1.0',
  });
});

test('a request resolves with its own result, whatever order the answers come in', async () => {
  const { client, socket } = await new ClientBench().connected();
  const first = client.request('job.test', {});
  const second = client.request('job.run_again', { jobId: 'a' });
  const [one, two] = socket.sent.filter((frame) => frame.kind === 'request');
  socket.receive({ kind: 'result', id: two?.id ?? -1, result: { jobId: 'second' } });
  socket.receive({ kind: 'result', id: one?.id ?? -1, result: { jobId: 'first' } });
  expect([await first, await second]).toEqual([{ jobId: 'first' }, { jobId: 'second' }]);
});

test('a request fails with what the host said is wrong', async () => {
  const { client, socket } = await new ClientBench().connected();
  const asked = client.request('job.stop', { jobId: 'a' });
  socket.receive({ kind: 'failed', id: socket.last('request').id, problem: problem('not_held') });
  await expect(asked).rejects.toMatchObject({ code: 'not_held', message: 'It is so.' });
});

test('an answer of another shape than the contract’s fails its request', async () => {
  const { client, socket } = await new ClientBench().connected();
  const asked = client.request('job.test', {});
  socket.receive({ kind: 'result', id: socket.last('request').id, result: { jobId: 7 } });
  await expect(asked).rejects.toMatchObject({ code: 'unreadable_answer' });
});

test('a request without a connection, or cut off by its loss, fails at once', async () => {
  const bench = new ClientBench();
  await expect(bench.client.request('job.test', {})).rejects.toMatchObject({
    code: 'connection_lost',
  });
  const { client, socket } = await bench.connected();
  const asked = client.request('job.test', {});
  socket.onclose?.();
  await expect(asked).rejects.toMatchObject({ code: 'connection_lost' });
});

test('a watch gets each value, and is asked for again after a reconnect', async () => {
  const bench = await new ClientBench().connected();
  const taken: number[] = [];
  bench.client.watch('jobs', {}, ({ revision }) => taken.push(revision));
  const { id } = bench.socket.last('watch');
  bench.socket.receive({ kind: 'value', id, value: { revision: 1, total: 3 } });

  bench.socket.onclose?.();
  await bench.advance(1_000);
  bench.ready();
  expect(bench.sockets).toHaveLength(2);
  expect(bench.socket.last('watch')).toEqual({ kind: 'watch', id, topic: 'jobs', parameters: {} });
  bench.socket.receive({ kind: 'value', id, value: { revision: 2, total: 3 } });
  expect(taken).toEqual([1, 2]);
});

test('a watch that ended is neither called nor asked for again', async () => {
  const bench = await new ClientBench().connected();
  const taken: unknown[] = [];
  const unwatch = bench.client.watch('jobs', {}, (view) => taken.push(view));
  const { id } = bench.socket.last('watch');
  unwatch();
  expect(bench.socket.last('unwatch')).toEqual({ kind: 'unwatch', id });
  bench.socket.receive({ kind: 'value', id, value: { revision: 1, total: 3 } });
  bench.socket.onclose?.();
  await bench.advance(1_000);
  bench.ready();
  expect(taken).toEqual([]);
  expect(bench.socket.sent.filter(({ kind }) => kind === 'watch')).toEqual([]);
});

test('a log’s next page is asked for when the last was taken, and goes on behind it after a loss', async () => {
  const bench = await new ClientBench().connected();
  let finish = (): void => undefined;
  bench.client.watchLog('a', 10, () => new Promise<void>((resolve) => (finish = resolve)));
  const { id } = bench.socket.last('watch');
  bench.socket.receive({
    kind: 'value',
    id,
    value: { records: [], nextRecord: 60, complete: false },
  });
  expect(bench.socket.sent.some(({ kind }) => kind === 'taken')).toBe(false);
  finish();
  await Promise.resolve();
  await Promise.resolve();
  expect(bench.socket.last('taken')).toEqual({ kind: 'taken', id });

  bench.socket.onclose?.();
  await bench.advance(1_000);
  bench.ready();
  expect(bench.socket.last('watch').parameters).toEqual({ jobId: 'a', fromRecord: 60 });
});

test('a try by hand does not wait for a socket that nobody answers', async () => {
  const bench = await new ClientBench().connected();
  bench.socket.onclose?.();
  await bench.advance(1_000);
  const hanging = bench.socket;
  await bench.client.connect();
  expect([hanging.closed, bench.sockets.length]).toEqual([true, 3]);
  bench.ready();
  hanging.onclose?.();
  expect(bench.client.connection.kind).toBe('connected');
  await bench.client.connect();
  expect(bench.sockets).toHaveLength(3);
});

test('the loss keeps its beginning through failed tries, which come ever later', async () => {
  const bench = await new ClientBench().connected();
  bench.socket.onclose?.();
  const lostAtMs = bench.nowMs;
  await bench.advance(150);
  bench.socket.onclose?.();
  expect(bench.client.connection).toEqual({
    kind: 'lost',
    sinceMs: lostAtMs,
    retryAtMs: lostAtMs + 150 + 300,
  });
});

test.each([
  [0, 0, 150],
  [0, 0.99, 299],
  [3, 0, 1_200],
  [30, 0, 5_000],
])('after %i failed tries and a chance of %d the wait is %i ms', (attempt, fraction, delayMs) => {
  expect(retryDelayMs(attempt, fraction)).toBe(delayMs);
});

test('a host of another contract makes the page load again, once, and then says so', async () => {
  const bench = new ClientBench();
  await bench.client.connect();
  bench.ready(CONTRACT_VERSION + 1);
  expect(bench.reloads).toEqual([CONTRACT_VERSION + 1]);
  expect(bench.client.connection.kind).not.toBe('wrong_version');

  await bench.client.connect();
  bench.ready(CONTRACT_VERSION + 1);
  expect(bench.client.connection).toEqual({
    kind: 'wrong_version',
    page: CONTRACT_VERSION,
    host: CONTRACT_VERSION + 1,
  });
});

test('a refused token is forgotten, and nobody dials again', async () => {
  const bench = new ClientBench();
  await bench.client.connect();
  bench.socket.receive({
    kind: 'refused',
    problem: problem('unauthenticated'),
    contract: CONTRACT_VERSION,
  });
  await bench.advance(60_000);
  expect(bench.client.connection).toEqual({ kind: 'signed_out', why: 'token_refused' });
  expect([bench.forgotten, bench.sockets.length]).toEqual([1, 1]);
});

test('a quiet host that still answers stays connected', async () => {
  const bench = await new ClientBench().connected();
  await bench.advance(PROOF_EVERY_MS);
  const { id } = bench.socket.last('watch');
  bench.socket.receive({ kind: 'value', id, value: { revision: 1, total: 0 } });
  await bench.advance(ANSWER_WITHIN_MS);
  expect(bench.client.connection.kind).toBe('connected');
});

test('a host that owes an answer for too long is lost, although its socket is open', async () => {
  const bench = await new ClientBench().connected();
  const { socket } = bench;
  await bench.advance(ANSWER_WITHIN_MS);
  expect(bench.client.connection.kind).toBe('lost');
  expect(socket.closed).toBe(true);
});

test.each(['no json', '{"kind":"gossip"}', 7])(
  'the frame %j is no frame: the connection begins anew',
  async (data) => {
    const bench = await new ClientBench().connected();
    bench.socket.onmessage?.({ data });
    expect(bench.client.connection.kind).toBe('lost');
  },
);
