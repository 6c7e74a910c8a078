/** One look along the way, over real sockets: how far it comes, and that it says nothing of who looks. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { reachService } from '../../../main/control-plane/reach-service.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { startProxy } from '../../support/relay-proxy.ts';
import { serviceRoute } from '../../support/service-route.ts';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));
const NOW_MS = Date.UTC(2026, 11, 1, 12);
const TARGET = new URL('https://service.test');
const AT_ONCE = new AbortController().signal;

async function behindProxy(
  given: { readonly trusts?: boolean; readonly denies?: number; readonly isSilent?: boolean } = {},
) {
  const clock = new FakeClock(NOW_MS);
  const seen: IncomingHttpHeaders[] = [];
  const service: Server = createServer(
    { cert: readFileSync(fixture('service.pem')), key: readFileSync(fixture('service.key')) },
    ({ headers }, response) => {
      seen.push(headers);
      if (given.isSilent === true) return;
      response.setHeader('Date', new Date(NOW_MS + 60_000).toUTCString());
      response.statusCode = 302;
      response.end();
    },
  );
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const proxy = await startProxy(
    (service.address() as AddressInfo).port,
    () => given.denies ?? 200,
  );
  onTestFinished(async () => {
    await proxy.stop();
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
  });
  const route = serviceRoute(clock, {
    environment: { https_proxy: `http://127.0.0.1:${proxy.port}` },
    settings: () => ({ proxy: null, caFile: given.trusts === false ? null : fixture('ca.pem') }),
  });
  return { route, clock, seen, service };
}

test('an answer tells status, certificate, the time of each part, and the clock of the service', async () => {
  const { route, seen } = await behindProxy();
  const reached = await reachService(route, TARGET, AT_ONCE);
  expect(reached).toMatchObject({
    problem: null,
    status: 302,
    tunnelMs: expect.any(Number) as number,
    securedMs: expect.any(Number) as number,
    answeredMs: expect.any(Number) as number,
  });
  expect(reached.certificate?.issuer).toBeTruthy();
  expect(Number.isNaN(Date.parse(reached.certificate?.validTo ?? ''))).toBe(false);
  expect(Math.round((route.skew.current?.offsetMs ?? 0) / 1_000)).toBeGreaterThanOrEqual(60);
  expect(seen).toHaveLength(1);
  expect(Object.keys(seen[0] ?? {}).sort()).toEqual(['connection', 'host', 'user-agent']);
});

test('a certificate nobody vouches for ends it there', async () => {
  const { route, seen } = await behindProxy({ trusts: false });
  expect(await reachService(route, TARGET, AT_ONCE)).toMatchObject({
    problem: { code: 'certificate_untrusted' },
    status: null,
    securedMs: null,
    certificate: null,
  });
  expect(seen).toEqual([]);
});

test('a proxy that does not let it through ends it there', async () => {
  const { route } = await behindProxy({ denies: 403 });
  expect(await reachService(route, TARGET, AT_ONCE)).toMatchObject({
    problem: { code: 'proxy_denied', status: 403 },
    certificate: null,
  });
});

test('a certificate file that cannot be read ends it before anybody is called', async () => {
  const route = serviceRoute(new FakeClock(NOW_MS), {
    settings: () => ({ proxy: null, caFile: '/nowhere/ca.pem' }),
  });
  expect(await reachService(route, TARGET, AT_ONCE)).toMatchObject({
    problem: { code: 'ca_file', path: '/nowhere/ca.pem' },
  });
});

test('a service that takes the request and says nothing is given up after a while', async () => {
  const { route, clock, service } = await behindProxy({ isSilent: true });
  const asked = once(service, 'request');
  const reaching = reachService(route, TARGET, AT_ONCE);
  await asked;
  await settle();
  await clock.advance(15_000);
  const { problem, certificate } = await reaching;
  expect(problem).toMatchObject({ code: 'timed_out', via: 'service' });
  expect(certificate).not.toBeNull();
  expect(clock.pending).toBe(0);
});

test('a host that ends waits for no answer', async () => {
  const { route, clock, service } = await behindProxy({ isSilent: true });
  const end = new AbortController();
  const asked = once(service, 'request');
  const reaching = reachService(route, TARGET, end.signal);
  await asked;
  end.abort();
  expect((await reaching).problem).not.toBeNull();
  expect(clock.pending).toBe(0);
});

test('a host that ends while the proxy says nothing waits for nothing either', async () => {
  const proxy = await startProxy(1, () => null);
  onTestFinished(() => proxy.stop());
  const clock = new FakeClock(NOW_MS);
  const environment = { https_proxy: `http://127.0.0.1:${proxy.port}` };
  const end = new AbortController();
  const reaching = reachService(serviceRoute(clock, { environment }), TARGET, end.signal);
  end.abort();
  expect((await reaching).problem).not.toBeNull();
  expect(clock.pending).toBe(0);
});
