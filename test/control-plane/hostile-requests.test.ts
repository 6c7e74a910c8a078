/** Requests that are no proper HTTP or no proper upgrade: answered or cut, and the plane goes on. */
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { planeUnderTest, type PlaneUnderTest } from '../support/plane-under-test.ts';

let clock: FakeClock;
let bench: PlaneUnderTest;
beforeEach(async () => {
  clock = new FakeClock(0);
  bench = await planeUnderTest({ clock });
});
afterEach(() => bench.close());

/** Sends text to the plane's port hangs up at the first answer, and returns what came back. */
function exchange(text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const wire = connect(Number(new URL(bench.url).port), '127.0.0.1', () => wire.write(text));
    wire.setEncoding('latin1').on('data', (part: string) => {
      received += part;
      wire.end();
    });
    wire.on('error', () => undefined);
    wire.on('close', () => resolve(received));
  });
}

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const ID = '9a1de0f4-52b7-4b1c-8e7e-3c0a4f2f7d11';

test.each([
  ['GET // HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', '404'],
  ['GET http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', '404'],
  [`GET // HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n`, '404'],
  [`GET /api/v1/other HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n`, '404'],
  [`GET /api/v1/runners/%00/ws HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n`, '403'],
  [
    `GET /api/v1/runners/${ID}/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    '400',
  ],
  [`GET /api/v1/runners/${ID}/ws HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n`, '101'],
  ['\u0016\u0003\u0001 not HTTP at all\r\n\r\n', '400'],
])('%j is answered with %s', async (request, status) => {
  expect((await exchange(request)).slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  expect((await bench.rest('GET', '/api/v1/runners')).status).toBe(200);
});

test('a stranger who ignores the goodbye is cut after 5 s', async () => {
  const request = `GET /api/v1/runners/${ID}/ws HTTP/1.1\r\nHost: x\r\n${UPGRADE}\r\n`;
  const wire = connect(Number(new URL(bench.url).port), '127.0.0.1', () => wire.write(request));
  wire.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => void wire.once('close', () => resolve()));
  await new Promise<void>((resolve) => void wire.once('data', () => resolve()));
  expect(clock.pending).toBe(2);

  await clock.advance(5_000);
  await ended;

  expect(clock.pending).toBe(1);
});
