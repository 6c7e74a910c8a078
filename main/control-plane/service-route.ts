/**
 * The way to the service: through which proxy, believing whose certificates, and what went wrong on it. Both the
 * REST calls and the socket take it, so that they cannot differ. Settings are read anew for each dial.
 */
import type { Agent, ClientRequest, IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import {
  TLSSocket,
  type DetailedPeerCertificate,
  type PeerCertificate,
  type SecureContext,
} from 'node:tls';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { NetworkError, type NetworkProblem } from '../../runner-core/model/network-problem.ts';
import type { Clock, Log } from '../../runner-core/ports.ts';
import { ClockSkew } from './clock-skew.ts';
import { networkProblem } from './network-problem-of.ts';
import { proxyAddress, proxyFor, proxySecrets, type ProxyChoice } from './proxy-choice.ts';
import { TrustedCertificates } from './trusted-certificates.ts';

const TUNNEL_OPEN = 200;
const LOGIN_WANTED = 407;
const LONGEST_CHAIN = 10;

export interface NetworkSettings {
  /** An http or https address, perhaps with user and password; `none`: whatever the environment says. */
  readonly proxy: string | null;
  /** Absolute path of a PEM file. */
  readonly caFile: string | null;
}

export interface ServiceRouteOptions {
  readonly clock: Clock;
  readonly log: Log & { hide?(secret: string): void };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: () => NetworkSettings;
  /** What the owner is told of the clocks changed. */
  readonly skewChanged: () => void;
}

/** For Node's `request` and for `ws`, which hands them on to it. */
export interface RouteOptions {
  readonly agent?: Agent;
  readonly secureContext?: SecureContext;
}

export class ServiceRoute {
  readonly skew: ClockSkew;
  readonly clock: Clock;
  readonly #options: ServiceRouteOptions;
  readonly #certificates: TrustedCertificates;

  constructor(options: ServiceRouteOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.skew = new ClockSkew(options.clock, options.skewChanged);
    this.#certificates = new TrustedCertificates(options.log);
  }

  /** As the next dial will choose it. */
  proxy(target: URL): ProxyChoice {
    const { environment, settings } = this.#options;
    return proxyFor(target, { configured: settings().proxy, environment });
  }

  /** For one connection. Throws NetworkError where settings or environment make it impossible. */
  dial(target: URL): Dial {
    const { clock, environment, settings, log } = this.#options;
    const { proxy, caFile } = settings();
    const choice = proxyFor(target, { configured: proxy, environment });
    if (choice.kind === 'unusable')
      throw new NetworkError({ code: 'proxy_unusable', from: choice.from });
    const secureContext =
      target.protocol === 'https:'
        ? this.#certificates.context({ configured: caFile, environment })
        : undefined;
    const proxyUrl = choice.kind === 'proxy' ? choice.url : null;
    for (const secret of proxyUrl === null ? [] : proxySecrets(proxyUrl)) log.hide?.(secret);
    return new Dial({ clock, skew: this.skew, target, proxy: proxyUrl, secureContext });
  }
}

interface DialParts {
  readonly clock: Clock;
  readonly skew: ClockSkew;
  readonly target: URL;
  readonly proxy: URL | null;
  readonly secureContext: SecureContext | undefined;
}

export class Dial {
  readonly options: RouteOptions;
  readonly #parts: DialParts;
  readonly #abort = new AbortController();
  #askedAtMs: number;
  #tunnelStatus: number | null = null;
  #issuer: string | null = null;

  constructor(parts: DialParts) {
    this.#parts = parts;
    this.#askedAtMs = parts.clock.monotonicMs();
    const { proxy, secureContext } = parts;
    this.options = {
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(proxy === null ? {} : { agent: this.#throughProxy(proxy) }),
    };
  }

  /** Follows a request made with `options` for what its error alone does not tell. */
  follow(request: ClientRequest, connected: () => void): void {
    request.on('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
      this.#tunnelStatus = statusCode;
    });
    request.once('socket', (socket: Socket) => {
      const isUp = (): void => {
        this.#askedAtMs = this.#parts.clock.monotonicMs();
        connected();
      };
      if (socket instanceof TLSSocket) {
        // Before the check: a certificate that is not believed cannot be looked at any more after it.
        socket.prependOnceListener('secure', () => (this.#issuer = issuerOf(socket)));
        socket.once('secureConnect', isUp);
      } else if (socket.connecting) socket.once('connect', isUp);
      else isUp();
    });
  }

  /** The head of an answer, whatever it says; null when it is the service's, else what the proxy means by it. */
  answered(headers: IncomingHttpHeaders): NetworkProblem | null {
    const refused = this.#tunnelProblem();
    if (refused === null) this.#parts.skew.answered(headers.date, this.#askedAtMs);
    return refused;
  }

  problem(error: unknown): NetworkProblem {
    const { target, proxy } = this.#parts;
    const isBeforeTunnel = proxy !== null && this.#tunnelStatus === null;
    return (
      this.#tunnelProblem() ??
      networkProblem(error, {
        via: isBeforeTunnel ? 'proxy' : 'service',
        address: isBeforeTunnel ? proxyAddress(proxy) : target.hostname,
        issuer: this.#issuer,
      })
    );
  }

  timedOut(): NetworkProblem {
    return this.problem({ code: 'ETIMEDOUT' });
  }

  /** Nothing comes of it: what is half open is closed. */
  giveUp(): void {
    this.#abort.abort();
  }

  #tunnelProblem(): NetworkProblem | null {
    const { proxy } = this.#parts;
    const status = this.#tunnelStatus;
    if (proxy === null || status === null || status === TUNNEL_OPEN) return null;
    const address = proxyAddress(proxy);
    return status === LOGIN_WANTED
      ? { code: 'proxy_login', address, offered: proxy.username !== '' }
      : { code: 'proxy_denied', address, status };
  }

  #throughProxy(proxy: URL): Agent {
    const { secureContext } = this.#parts;
    const bare = new URL(proxy);
    bare.username = '';
    bare.password = '';
    // The login goes as a header: the agent's debug output shows its address whole.
    const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
    return new HttpsProxyAgent(bare, {
      signal: this.#abort.signal,
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(proxy.username === '' ? {} : { headers: loginHeader(login) }),
    });
  }
}

function loginHeader(login: string): Record<string, string> {
  return { 'Proxy-Authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

/** The name of who signed the last certificate that was sent; null for one that cannot be read. */
function issuerOf(socket: TLSSocket): string | null {
  // Not `getPeerX509Certificate`: after that, the check itself would find no certificate.
  let last: DetailedPeerCertificate | PeerCertificate = socket.getPeerCertificate(true);
  for (let depth = 0; depth < LONGEST_CHAIN; depth++) {
    const next: DetailedPeerCertificate | undefined =
      'issuerCertificate' in last ? last.issuerCertificate : undefined;
    if (next === undefined || next === last) break;
    last = next;
  }
  const first = nameIn(last.issuer);
  return first === undefined ? null : first.replace(/\p{Cc}+/gu, ' ').slice(0, 120);
}

/** Where no certificate was shown, Node gives an empty object for it. */
function nameIn(issuer: Partial<PeerCertificate['issuer']> | undefined): string | undefined {
  const name = issuer?.CN ?? issuer?.O;
  return Array.isArray(name) ? name[0] : name;
}
