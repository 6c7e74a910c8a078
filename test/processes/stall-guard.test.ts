/** A download that a network lets starve ends, and one that goes on does not. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guarded } from '../../scripts/setup/stall-guard.mjs';

/** Far more than a machine under load needs between two bytes of its own, and little enough to wait for. */
const SILENCE_MS = 300;
const PARTS = 8;

const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/silent': () => undefined,
  '/half': (response) => void response.write('half'),
  '/slow': (response) => {
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1;
      response.write('x');
      if (sent < PARTS) return;
      clearInterval(timer);
      response.end();
    }, SILENCE_MS / 4);
  },
};

let server: Server;
let address = '';
const get = guarded(fetch, SILENCE_MS);

beforeAll(async () => {
  server = createServer((request, response) => ANSWERS[request.url ?? '']?.(response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  address = `http://127.0.0.1:${typeof bound === 'object' ? (bound?.port ?? 0) : 0}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('a server that takes the connection and says nothing is given up', async () => {
  await expect(get(`${address}/silent`)).rejects.toThrow(`Nothing came for ${SILENCE_MS} ms`);
});

test('a download that stops in the middle is given up', async () => {
  const response = await get(`${address}/half`);
  await expect(response.text()).rejects.toThrow(`Nothing came for ${SILENCE_MS} ms`);
});

test('a download that takes longer than the limit in all, but never rests so long, arrives whole', async () => {
  const response = await get(`${address}/slow`);
  expect(await response.text()).toBe('x'.repeat(PARTS));
});

test('who gives up of their own accord still does', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(get(`${address}/silent`, { signal })).rejects.toThrow('enough');
});
