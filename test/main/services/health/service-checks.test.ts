/** Each step of the way to the service, well and in each way it can go wrong. */
import { describe, expect, test } from 'vitest';
import type { ProxyChoice } from '../../../../main/control-plane/proxy-choice.ts';
import type { Reached } from '../../../../main/control-plane/reach-service.ts';
import { failed, fine } from '../../../../main/services/health/check.ts';
import {
  serviceChecks,
  type ServiceChecks,
  type ServiceSources,
} from '../../../../main/services/health/service-checks.ts';
import {
  networkWords,
  type NetworkProblem,
} from '../../../../runner-core/model/network-problem.ts';

const ANSWERED: Reached = {
  problem: null,
  status: 200,
  tunnelMs: null,
  securedMs: 40,
  answeredMs: 100,
  certificate: { issuer: 'Corp CA', validTo: 'Mar  4 12:00:00 2027 GMT' },
};
const NOT_REACHED: Reached = {
  ...ANSWERED,
  status: null,
  securedMs: null,
  answeredMs: null,
  certificate: null,
};
const PROXY: ProxyChoice = {
  kind: 'proxy',
  url: new URL('http://ann:secret@proxy.corp:3128'),
  from: 'HTTPS_PROXY',
};

function checking(given: Partial<ServiceSources> = {}): {
  readonly look: (id: keyof ServiceChecks) => Promise<unknown>;
  readonly reaches: () => number;
} {
  let reaches = 0;
  const reach = given.reach ?? (() => Promise.resolve(ANSWERED));
  const checks = serviceChecks({
    server: { url: 'https://preloop.example', embedded: false },
    proxy: () => ({ kind: 'direct' }),
    lookUp: () => Promise.resolve({ addresses: ['203.0.113.20'], problem: null }),
    live: () => fine('Open.'),
    skew: () => ({ offsetMs: 100, uncertaintyMs: 500, measuredAtMs: 0 }),
    ...given,
    reach: (target, signal) => {
      reaches += 1;
      return reach(target, signal);
    },
  });
  const { signal } = new AbortController();
  return {
    look: async (id) => checks[id]({ isAsked: true, signal }),
    reaches: () => reaches,
  };
}

const ended = (problem: NetworkProblem, from: Reached = NOT_REACHED): Partial<ServiceSources> => ({
  reach: () => Promise.resolve({ ...from, problem }),
});

test('a service that answers passes each step, over one connection, with the time of each', async () => {
  const { look, reaches } = checking();
  expect(await look('name')).toEqual(fine('preloop.example is 203.0.113.20.'));
  expect(await look('proxy')).toMatchObject({ state: 'not_applicable' });
  expect(await look('certificate')).toEqual({
    ...fine('Issued by Corp CA, valid to 4 Mar 2027.'),
    tookMs: 40,
  });
  expect(await look('web')).toEqual({ ...fine('200 from preloop.example.'), tookMs: 60 });
  expect(await look('live_connection')).toEqual(fine('Open.'));
  expect(await look('clock')).toEqual(fine('This machine and the service agree on the time.'));
  expect(reaches()).toBe(1);
});

describe('name', () => {
  test('one that is not found fails in the words of the session', async () => {
    const problem = { code: 'name_not_found', via: 'service', address: 'preloop.example' } as const;
    const { look } = checking({ lookUp: () => Promise.resolve({ addresses: [], problem }) });
    expect(await look('name')).toEqual(
      failed('The name preloop.example could not be found.', networkWords(problem).remedy),
    );
  });

  test('an address is not looked up, and through a proxy the name is left to it', async () => {
    const lookUp = (): never => {
      throw new Error('looked up');
    };
    const byAddress = checking({
      server: { url: 'https://[2001:db8::1]', embedded: false },
      lookUp,
    });
    expect(await byAddress.look('name')).toMatchObject({
      state: 'not_applicable',
      said: 'The service is named by its address, 2001:db8::1.',
    });
    const proxied = checking({ proxy: () => PROXY, lookUp });
    expect(await proxied.look('name')).toMatchObject({
      state: 'not_applicable',
      said: 'The proxy looks preloop.example up by itself.',
    });
  });
});

describe('proxy', () => {
  test('one that lets through is named without its login', async () => {
    const { look } = checking({
      proxy: () => PROXY,
      reach: () => Promise.resolve({ ...ANSWERED, tunnelMs: 11, securedMs: 49 }),
    });
    expect(await look('proxy')).toEqual({
      ...fine('proxy.corp:3128, from HTTPS_PROXY.'),
      tookMs: 11,
    });
    expect(await look('certificate')).toMatchObject({ state: 'ok', tookMs: 38 });
  });

  const address = 'proxy.corp:3128';
  test.each<NetworkProblem>([
    { code: 'name_not_found', via: 'proxy', address },
    { code: 'refused', via: 'proxy', address },
    { code: 'timed_out', via: 'proxy', address },
    { code: 'reset', via: 'proxy', address },
    { code: 'proxy_login', address, offered: true },
    { code: 'proxy_denied', address, status: 403 },
  ])('$code of the proxy fails here', async (problem) => {
    const { look } = checking({ proxy: () => PROXY, ...ended(problem) });
    expect(await look('proxy')).toMatchObject({ state: 'failed' });
  });

  test('a setting that is no address fails and is not repeated', async () => {
    const problem: NetworkProblem = { code: 'proxy_unusable', from: 'HTTPS_PROXY' };
    const { look } = checking({
      proxy: () => ({ kind: 'unusable', from: 'HTTPS_PROXY' }),
      ...ended(problem),
    });
    expect(await look('proxy')).toEqual(
      failed(
        'The proxy in HTTPS_PROXY is not an http or https address.',
        'Write it as http://HOST:PORT.',
      ),
    );
  });

  test('a service that is down behind it is not its fault', async () => {
    const { look } = checking({
      proxy: () => PROXY,
      ...ended({ code: 'reset', via: 'service', address: 'preloop.example' }),
    });
    expect(await look('proxy')).toMatchObject({ state: 'ok' });
    expect(await look('certificate')).toMatchObject({ state: 'failed' });
  });
});

test.each<NetworkProblem>([
  { code: 'certificate_untrusted', issuer: 'Corp Inspection CA' },
  { code: 'certificate_expired' },
  { code: 'certificate_not_yet_valid' },
  { code: 'certificate_other_name', host: 'preloop.example' },
  { code: 'ca_file', from: 'network: ca_file', path: '/etc/ca.pem' },
  { code: 'refused', via: 'service', address: 'preloop.example' },
  { code: 'timed_out', via: 'service', address: 'preloop.example' },
  { code: 'no_network' },
  { code: 'other', systemCode: 'EPROTO' },
])(
  '$code before anything is encrypted fails at the certificate, with a remedy',
  async (problem) => {
    const { look } = checking(ended(problem));
    const found = await look('certificate');
    expect(found).toMatchObject({
      state: 'failed',
      remedy: expect.stringMatching(/\.$/) as string,
    });
    const { remedy } = networkWords(problem);
    if (remedy !== null) expect(found).toMatchObject({ remedy });
  },
);

describe('web', () => {
  test('a connection that breaks off after it was encrypted fails here, not at the certificate', async () => {
    const problem = { code: 'reset', via: 'service', address: 'preloop.example' } as const;
    const { look } = checking(ended(problem, { ...ANSWERED, status: null, answeredMs: null }));
    expect(await look('certificate')).toMatchObject({ state: 'ok' });
    expect(await look('web')).toMatchObject({ state: 'failed', said: 'The connection was reset.' });
  });

  test('a gateway that answers for a service that is down is no service', async () => {
    const { look } = checking({ reach: () => Promise.resolve({ ...ANSWERED, status: 502 }) });
    expect(await look('web')).toMatchObject({
      state: 'failed',
      said: 'preloop.example answers 502: the service is not up.',
    });
  });

  test('any other answer is one, a redirect as well', async () => {
    const { look } = checking({ reach: () => Promise.resolve({ ...ANSWERED, status: 302 }) });
    expect(await look('web')).toMatchObject({ state: 'ok' });
  });
});

describe('clock', () => {
  test.each([
    [41_200, 'This machine is 41 s behind the service.'],
    [-3_600_000, 'This machine is 3600 s ahead of the service.'],
  ])('%i ms off is a warning with what to do', async (offsetMs, said) => {
    const { look } = checking({ skew: () => ({ offsetMs, uncertaintyMs: 500, measuredAtMs: 0 }) });
    expect(await look('clock')).toEqual({
      state: 'warning',
      said,
      remedy: "Turn on automatic time in the system's date settings.",
    });
  });

  test('a service that tells no time is no fault of this machine', async () => {
    expect(await checking({ skew: () => null }).look('clock')).toMatchObject({ state: 'ok' });
  });
});

describe('on this machine', () => {
  test.each([
    ['the embedded plane', { url: 'http://127.0.0.1:4000', embedded: true }],
    ['a service on loopback', { url: 'http://localhost:8000', embedded: false }],
  ])('%s needs no name, proxy or certificate, and is reached all the same', async (_, server) => {
    const { look, reaches } = checking({
      server,
      proxy: () => {
        throw new Error('asked for a proxy');
      },
    });
    for (const id of ['name', 'proxy', 'certificate'] as const)
      expect(await look(id)).toMatchObject({ state: 'not_applicable', remedy: null });
    expect(await look('web')).toMatchObject({ state: 'ok' });
    expect(reaches()).toBe(1);
  });

  test('a plane that does not run is reached by nobody', async () => {
    const { look, reaches } = checking({ server: { url: null, embedded: true } });
    for (const id of ['name', 'proxy', 'certificate', 'web', 'live_connection', 'clock'] as const)
      expect(await look(id)).toMatchObject({ state: 'not_applicable' });
    expect(reaches()).toBe(0);
  });
});
