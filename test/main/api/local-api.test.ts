/** The border, against a real server: who gets in, and what is answered to everybody else. */
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONTENT_SECURITY_POLICY } from '../../../main/api/security-headers.ts';
import { MAX_FAILURES } from '../../../main/api/sign-in.ts';
import { MAX_FRAME_BYTES, SESSION_PATH, SOCKET_PATH } from '../../../main/contract/frames.ts';
import { CONTRACT_VERSION } from '../../../main/contract/version.ts';
import { ApiBench, MemorySettings } from '../../support/api-bench.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const EVIL = 'https://evil.example';

describe('the page', () => {
  test('is served with a policy that lets in nothing but its own files', async () => {
    const bench = await new ApiBench().start();
    const { status, headers, text } = await bench.ask();
    expect({ status, text }).toEqual({ status: 200, text: '<!doctype html><title>page</title>' });
    expect(headers).toMatchObject({
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(CONTENT_SECURITY_POLICY).not.toMatch(/unsafe|\*|http/);
  });

  test('lets its built files be kept, since their names change with them', async () => {
    const bench = await new ApiBench().start();
    const { headers } = await bench.ask({ path: '/assets/main-1a2b.js' });
    expect(headers['cache-control']).toContain('immutable');
  });

  test.each([
    '/../secret.js',
    '/..%2fsecret.js',
    '/%2e%2e/secret.js',
    '/assets/../../secret.js',
    '//etc/passwd',
    '/.hidden.js',
    '/assets/.hidden.js',
    '/assets\\..\\secret.js',
    '/link.js',
    '/linked/secret.js',
    '/assets',
    '/nowhere.js',
  ])('is all that is served: %s is not there', async (path) => {
    const bench = await new ApiBench().start();
    writeFileSync(join(bench.pageDir, '..', 'secret.js'), 'secret');
    writeFileSync(join(bench.pageDir, '.hidden.js'), 'secret');
    writeFileSync(join(bench.pageDir, 'assets', '.hidden.js'), 'secret');
    symlinkSync(join(bench.pageDir, '..', 'secret.js'), join(bench.pageDir, 'link.js'));
    symlinkSync(join(bench.pageDir, '..'), join(bench.pageDir, 'linked'));
    const { status, text } = await bench.ask({ path });
    expect({ status, text }).toEqual({ status: 404, text: 'There is nothing at this address.\n' });
  });

  test('that is not built is one plain line', async () => {
    const bench = await new ApiBench().start();
    rmSync(bench.pageDir, { recursive: true });
    const { status, text } = await bench.ask();
    expect(status).toBe(503);
    expect(text).toMatch(/^The page is not built yet.*\n$/);
  });

  test('cannot be written to', async () => {
    const bench = await new ApiBench().start();
    expect((await bench.ask({ method: 'PUT', path: '/' })).status).toBe(405);
  });
});

describe('a request that another page made', () => {
  test('is refused by its Host, as a name rebound to loopback sends it', async () => {
    const bench = await new ApiBench().start();
    const { port } = bench.api;
    for (const host of [`rebound.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`]) {
      expect((await bench.ask({ headers: { host } })).status, host).toBe(421);
      expect(await bench.upgrade({ host }), host).toBe(421);
    }
    expect(await rawStatus(port, 'GET / HTTP/1.1\r\nHost: \r\n\r\n')).toBe(421);
    expect(await rawStatus(port, 'GET / HTTP/1.0\r\n\r\n')).toBe(421);
    expect((await bench.ask({ headers: { host: `localhost:${port}` } })).status).toBe(200);
  });

  test('is refused when it has two Hosts', async () => {
    const bench = await new ApiBench().start();
    const { port } = bench.api;
    const own = `127.0.0.1:${port}`;
    const status = await rawStatus(port, `GET / HTTP/1.1\r\nHost: ${own}\r\nHost: ${own}\r\n\r\n`);
    expect([400, 421]).toContain(status);
  });

  test('is refused when it names another server in its first line', async () => {
    const bench = await new ApiBench().start();
    const { port } = bench.api;
    const line = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`;
    expect(await rawStatus(port, line)).toBe(400);
  });

  test('is refused by its Origin when it posts, even with a good code', async () => {
    const bench = await new ApiBench().start();
    for (const origin of [EVIL, 'null', `http://127.0.0.1:${bench.api.port + 1}`]) {
      const code = bench.signIn.newCode();
      const { status, text } = await bench.trade(code, { origin });
      expect({ status, token: text.includes('token') }).toEqual({ status: 403, token: false });
      expect((await bench.trade(code)).status).toBe(200);
    }
  });

  test('is refused as a form, whatever it claims to be', async () => {
    const bench = await new ApiBench().start();
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
      const body = JSON.stringify({ code: bench.signIn.newCode() });
      const form = { method: 'POST', path: SESSION_PATH, body };
      expect((await bench.ask({ ...form, headers: { 'content-type': type } })).status).toBe(415);
      const foreign = { 'content-type': type, origin: EVIL };
      expect((await bench.ask({ ...form, headers: foreign })).status).toBe(403);
    }
  });

  test('is refused by what the browser says of it where it sends no Origin', async () => {
    const bench = await new ApiBench().start();
    const code = bench.signIn.newCode();
    expect((await bench.trade(code, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  test('is refused as a socket', async () => {
    const bench = await new ApiBench().start();
    expect(await bench.upgrade({ origin: EVIL })).toBe(403);
    expect(await bench.upgrade({ origin: 'null' })).toBe(403);
    expect(await bench.upgrade({ origin: bench.api.origin })).toBe(101);
  });

  test('gets no word that would let it read the answer', async () => {
    const bench = await new ApiBench().start();
    const { status, headers } = await bench.ask({ method: 'OPTIONS', headers: { origin: EVIL } });
    expect(status).toBe(403);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a sign-in code', () => {
  test('is good once', async () => {
    const bench = await new ApiBench().start();
    const code = bench.signIn.newCode();
    expect((await bench.trade(code)).status).toBe(200);
    const { status, text } = await bench.trade(code);
    expect(status).toBe(401);
    expect(text).toContain('wrong_code');
  });

  test('is good for a minute', async () => {
    const clock = new FakeClock();
    const bench = await new ApiBench({ clock }).start();
    const [early, late] = [bench.signIn.newCode(), bench.signIn.newCode()];
    await clock.advance(59_999);
    expect((await bench.trade(early)).status).toBe(200);
    await clock.advance(1);
    expect((await bench.trade(late)).status).toBe(401);
  });

  test('cannot be guessed at length', async () => {
    const bench = await new ApiBench().start();
    for (let guess = 0; guess < MAX_FAILURES; guess++)
      expect((await bench.trade(`guess ${guess}`)).status).toBe(401);
    expect((await bench.trade(bench.signIn.newCode())).status).toBe(429);
  });

  test.each([
    ['no JSON', '{'],
    ['no code', '{}'],
    ['a field too many', '{"code":"a","more":1}'],
    ['a code of the wrong kind', '{"code":1}'],
    ['a code too long', JSON.stringify({ code: 'a'.repeat(201) })],
  ])('is refused as %s', async (_, body) => {
    const bench = await new ApiBench().start();
    const headers = { 'content-type': 'application/json' };
    const { status } = await bench.ask({ method: 'POST', path: SESSION_PATH, headers, body });
    expect(status).toBe(400);
  });

  test('is refused in a body that no sign-in needs', async () => {
    const bench = await new ApiBench().start();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ code: 'a'.repeat(100_000) });
    const { status } = await bench.ask({ method: 'POST', path: SESSION_PATH, headers, body });
    expect(status).toBe(413);
  });
});

describe('a token', () => {
  test('is not taken from a query: who saw an address gets no socket with it', async () => {
    const bench = await new ApiBench().start();
    const token = await bench.token();
    expect(await bench.upgrade({}, `${SOCKET_PATH}?token=${token}`)).toBe(400);
    expect(await bench.upgrade({ authorization: `Bearer ${token}` })).toBe(101);
    const page = await bench.socket();
    page.send({ kind: 'watch', id: 1, topic: 'jobs', parameters: {} });
    expect((await page.next('refused')).problem.code).toBe('unauthenticated');
  });

  test('outlives a restart of the host, and is stored as a hash alone', async () => {
    const settings = new MemorySettings();
    const first = await new ApiBench({ settings }).start();
    const token = await first.token();
    await first.api.stop();
    expect([...settings.values.values()].join()).not.toContain(token);
    const second = await new ApiBench({ settings }).start();
    const page = await second.socket();
    page.send({ kind: 'authenticate', token, contract: CONTRACT_VERSION });
    expect(await page.next('ready')).toEqual({
      kind: 'ready',
      contract: CONTRACT_VERSION,
      version: '1.2.3',
    });
  });
});

describe('a socket', () => {
  test('is told of another contract version before its token is looked at', async () => {
    const bench = await new ApiBench().start();
    const page = await bench.socket();
    page.send({ kind: 'authenticate', token: 'any', contract: CONTRACT_VERSION + 1 });
    expect(await page.next('refused')).toMatchObject({
      problem: { code: 'contract_mismatch' },
      contract: CONTRACT_VERSION,
    });
    expect(await page.closed).toBe(1008);
  });

  test('without a good token is refused and closed', async () => {
    const bench = await new ApiBench().start();
    const page = await bench.socket();
    page.send({ kind: 'authenticate', token: 'wrong', contract: CONTRACT_VERSION });
    expect((await page.next('refused')).problem.code).toBe('unauthenticated');
    expect(await page.closed).toBe(1008);
  });

  test.each([
    ['no JSON', 'hello'],
    ['an unknown kind', '{"kind":"steal"}'],
    ['a field too many', '{"kind":"unwatch","id":1,"more":true}'],
    ['a list', '[]'],
    ['an id that is no number', '{"kind":"unwatch","id":"1"}'],
  ])('that sends %s is closed, signed in or not', async (_, text) => {
    const bench = await new ApiBench().start();
    for (const page of [await bench.socket(), await bench.page()]) {
      page.socket.send(text);
      expect((await page.next('refused')).problem.code).toBe('malformed_frame');
      expect(await page.closed).toBe(1008);
    }
  });

  test('that sends bytes instead of text is closed', async () => {
    const bench = await new ApiBench().start();
    const page = await bench.page();
    page.socket.send(Buffer.from('{"kind":"unwatch","id":1}'));
    expect((await page.next('refused')).problem.code).toBe('malformed_frame');
  });

  test('that sends more than a frame may have is closed', async () => {
    const bench = await new ApiBench().start();
    const page = await bench.page();
    page.socket.send(`"${'x'.repeat(MAX_FRAME_BYTES)}"`);
    expect(await page.closed).toBe(1009);
  });

  test('sees a host that stops go away', async () => {
    const bench = await new ApiBench().start();
    const page = await bench.page();
    await bench.api.stop();
    expect(await page.closed).toBe(1001);
  });
});

describe('the port', () => {
  test('that was wished for is had', async () => {
    const first = await new ApiBench().start();
    const { port } = first.api;
    await first.api.stop();
    const second = await new ApiBench().start(port);
    expect({ port: second.api.port, taken: second.api.takenPort }).toEqual({ port, taken: null });
  });

  test('of somebody else is left to them, and that is said', async () => {
    const first = await new ApiBench().start();
    const second = await new ApiBench().start(first.api.port);
    expect(second.api.port).not.toBe(first.api.port);
    expect(second.api.takenPort).toBe(first.api.port);
    expect((await second.ask()).status).toBe(200);
  });

  test('is on loopback alone', async () => {
    const bench = await new ApiBench().start();
    expect(bench.api.origin).toBe(`http://127.0.0.1:${bench.api.port}`);
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((each) => each !== undefined && each.family === 'IPv4' && !each.internal);
    for (const other of others) {
      const refused = new Promise((resolve) => {
        const socket = connect({ host: other?.address ?? '', port: bench.api.port });
        socket.once('error', () => resolve(true));
        socket.once('connect', () => resolve(false));
      });
      expect(await refused).toBe(true);
    }
  });
});

function rawStatus(port: number, text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1]));
    });
    socket.write(text);
  });
}
