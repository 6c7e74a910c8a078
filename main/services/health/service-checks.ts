/**
 * The way to the service, step by step: name, proxy, certificate, web, live connection, clock. Pure of network
 * itself: what there is to see comes through `ServiceSources`. Causes and remedies are worded where every other
 * part words them.
 */
import { isIP } from 'node:net';
import { networkWords, type NetworkProblem } from '../../../runner-core/model/network-problem.ts';
import { shownSkewMs, type Skew } from '../../control-plane/clock-skew.ts';
import { isLoopback, proxyAddress, type ProxyChoice } from '../../control-plane/proxy-choice.ts';
import type { Reached } from '../../control-plane/reach-service.ts';
import { asSentence } from '../views/plain-text.ts';
import {
  failed,
  fine,
  notApplicable,
  warning,
  type Checks,
  type Finding,
  type Look,
} from './check.ts';

export type ServiceChecks = Pick<
  Checks,
  'name' | 'proxy' | 'certificate' | 'web' | 'live_connection' | 'clock'
>;

export interface Server {
  /** Null: the plane of this program, and it does not run. */
  readonly url: string | null;
  readonly embedded: boolean;
}

export interface ServiceSources {
  readonly server: Server;
  proxy(target: URL): ProxyChoice;
  /** Never rejects. */
  lookUp(host: string, signal: AbortSignal): Promise<LookedUp>;
  /** Never rejects. */
  reach(target: URL, signal: AbortSignal): Promise<Reached>;
  live(signal: AbortSignal): Finding | Promise<Finding>;
  /** As measured from the service's answers; null where it has not told its time. */
  skew(): Skew | null;
}

export interface LookedUp {
  /** Empty where there is a problem. */
  readonly addresses: readonly string[];
  readonly problem: NetworkProblem | null;
}

const OWN_PLANE = 'Jobs come from the plane on this machine';
const NOT_RUNNING = 'The plane on this machine runs only while its host does.';

/** For one round: the service is reached once. */
export function serviceChecks(sources: ServiceSources): ServiceChecks {
  const { server } = sources;
  const { url, embedded } = server;
  if (url === null) {
    const asleep: Look = () => notApplicable(NOT_RUNNING);
    const absent = localChecks(OWN_PLANE);
    return { ...absent, web: asleep, live_connection: asleep, clock: sameClock };
  }
  const target = new URL(url);
  let reaching: Promise<Reached> | null = null;
  const reach = (signal: AbortSignal): Promise<Reached> =>
    (reaching ??= sources.reach(target, signal));
  const rest = {
    web: async ({ signal }) => webFinding(await reach(signal), target),
    live_connection: ({ signal }) => sources.live(signal),
    clock: embedded ? sameClock : () => clockFinding(sources.skew()),
  } satisfies Partial<ServiceChecks>;
  if (embedded) return { ...localChecks(OWN_PLANE), ...rest };
  if (isLoopback(target)) {
    const local = localChecks(`The service is reached at ${target.host}, on this machine`);
    if (target.protocol === 'http:') return { ...local, ...rest };
    return {
      ...local,
      certificate: async ({ signal }) => certificateFinding(await reach(signal)),
      ...rest,
    };
  }
  const proxy = sources.proxy(target);
  return {
    name: ({ signal }) => nameFinding(sources, target.hostname, proxy, signal),
    proxy: async ({ signal }) =>
      proxy.kind === 'direct'
        ? notApplicable('No proxy is set; the service is reached directly.')
        : proxyFinding(proxy, await reach(signal)),
    certificate: async ({ signal }) => certificateFinding(await reach(signal)),
    ...rest,
  };
}

function localChecks(why: string): Pick<ServiceChecks, 'name' | 'proxy' | 'certificate'> {
  return {
    name: () => notApplicable(`${why}: no name is looked up.`),
    proxy: () => notApplicable(`${why}: no proxy lies in between.`),
    certificate: () => notApplicable(`${why}: nothing is encrypted, nothing leaves it.`),
  };
}

const sameClock: Look = () => notApplicable(`${OWN_PLANE}: it has the same clock.`);

async function nameFinding(
  sources: ServiceSources,
  host: string,
  proxy: ProxyChoice,
  signal: AbortSignal,
): Promise<Finding> {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return notApplicable(`The service is named by its address, ${bare}.`);
  if (proxy.kind !== 'direct') return notApplicable(`The proxy looks ${host} up by itself.`);
  const { addresses, problem } = await sources.lookUp(host, signal);
  if (problem !== null) return problemFinding(problem);
  const [first = '', ...others] = addresses;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return fine(`${host} is ${first}${more}.`);
}

/** @param proxy one that is set */
function proxyFinding(
  proxy: Exclude<ProxyChoice, { readonly kind: 'direct' }>,
  reached: Reached,
): Finding {
  const { problem } = reached;
  if (problem !== null && isOfProxy(problem)) return problemFinding(problem);
  if (proxy.kind === 'unusable')
    return problemFinding({ code: 'proxy_unusable', from: proxy.from });
  return timed(fine(`${proxyAddress(proxy.url)}, from ${proxy.from}.`), reached.tunnelMs);
}

function certificateFinding(reached: Reached): Finding {
  const { problem, certificate, securedMs, tunnelMs } = reached;
  // What ends a connection before it is encrypted is told here; after that, it is not the certificate.
  if (problem !== null && certificate === null) return problemFinding(problem);
  if (certificate === null) return fine('The service was reached with encryption.');
  const until = dayText(certificate.validTo);
  return timed(
    fine(`Issued by ${certificate.issuer}${until === null ? '' : `, valid to ${until}`}.`),
    securedMs === null ? null : securedMs - (tunnelMs ?? 0),
  );
}

function webFinding(reached: Reached, target: URL): Finding {
  const { problem, status, answeredMs, securedMs, tunnelMs } = reached;
  if (problem !== null) return problemFinding(problem);
  if (status === null || status >= 500)
    return failed(
      `${target.host} answers ${status ?? 'nothing'}: the service is not up.`,
      'Try again in a few minutes; if it lasts, tell who runs the service.',
    );
  return timed(
    fine(`${status} from ${target.host}.`),
    answeredMs === null ? null : answeredMs - (securedMs ?? tunnelMs ?? 0),
  );
}

export function clockFinding(skew: Skew | null): Finding {
  if (skew === null) return fine('The service does not tell its time.');
  const shownMs = shownSkewMs(skew);
  if (shownMs === null) return fine('This machine and the service agree on the time.');
  return warning(
    `This machine is ${Math.abs(shownMs) / 1_000} s ${shownMs > 0 ? 'behind' : 'ahead of'} the service.`,
    "Turn on automatic time in the system's date settings.",
  );
}

export function problemFinding(problem: NetworkProblem): Finding {
  const { what, remedy } = networkWords(problem);
  return failed(
    asSentence(what),
    remedy ?? 'Check that the service runs and that its address is right.',
  );
}

function isOfProxy(problem: NetworkProblem): boolean {
  return problem.code.startsWith('proxy_') || ('via' in problem && problem.via === 'proxy');
}

function timed(finding: Finding, tookMs: number | null): Finding {
  return tookMs === null ? finding : { ...finding, tookMs };
}

/** `4 Mar 2027`, from the text of a certificate. */
function dayText(text: string): string | null {
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) return null;
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(atMs);
}
