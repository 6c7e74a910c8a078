/**
 * One look along the whole way to the service: how far a plain request comes, how long each part took, and whose
 * certificate was shown. Goes the way every other connection goes; nothing it sends says who we are.
 */
import type { ClientRequest } from 'node:http';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { NetworkError, type NetworkProblem } from '../../runner-core/model/network-problem.ts';
import type { Dial, ServiceRoute } from './service-route.ts';

const TIMEOUT_MS = 15_000;

export interface Reached {
  /** Null: the service answered. */
  readonly problem: NetworkProblem | null;
  readonly status: number | null;
  /** From the start of it; null for what was not reached or is not on the way. */
  readonly tunnelMs: number | null;
  readonly securedMs: number | null;
  readonly answeredMs: number | null;
  readonly certificate: { readonly issuer: string; readonly validTo: string } | null;
}

/** Never rejects. A redirect is an answer. */
export async function reachService(
  route: ServiceRoute,
  target: URL,
  signal: AbortSignal,
): Promise<Reached> {
  const { clock } = route;
  const startedMs = clock.monotonicMs();
  const passed = (): number => Math.round(clock.monotonicMs() - startedMs);
  let reached: Reached = {
    problem: null,
    status: null,
    tunnelMs: null,
    securedMs: null,
    answeredMs: null,
    certificate: null,
  };
  let dial: Dial;
  try {
    dial = route.dial(target);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    return { ...reached, problem: error.problem };
  }
  const send = target.protocol === 'https:' ? secureRequest : plainRequest;
  const problem = await new Promise<NetworkProblem | null>((resolve) => {
    const request: ClientRequest = send(target, {
      method: 'GET',
      headers: { 'User-Agent': 'preloop-runner-host' },
      agent: false,
      ...dial.options,
    });
    const end = (problem: NetworkProblem | null): void => {
      timer.cancel();
      signal.removeEventListener('abort', callOff);
      resolve(problem);
      request.destroy();
    };
    const timer = clock.after(TIMEOUT_MS, () => end(dial.timedOut()));
    // Not as an option of the request: one that waits for its proxy would not hear of it.
    const callOff = (): void => end(dial.problem({ code: 'ABORT_ERR' }));
    if (signal.aborted) callOff();
    else signal.addEventListener('abort', callOff);
    dial.follow(request, () => undefined);
    request.on('proxyConnect', () => (reached = { ...reached, tunnelMs: passed() }));
    request.once('socket', (socket: Socket) => {
      if (!(socket instanceof TLSSocket)) return;
      socket.once('secureConnect', () => {
        reached = { ...reached, securedMs: passed(), certificate: shownBy(socket) };
      });
    });
    request.on('error', (error) => end(dial.problem(error)));
    request.on('response', (response) => {
      const { statusCode = 0, headers } = response;
      const refused = dial.answered(headers);
      reached = { ...reached, status: statusCode, answeredMs: passed() };
      end(refused);
    });
    request.end();
  });
  dial.giveUp();
  return { ...reached, problem };
}

function shownBy(socket: TLSSocket): Reached['certificate'] {
  const { issuer, valid_to: validTo } = socket.getPeerCertificate();
  const names: unknown = issuer.CN ?? issuer.O;
  const first: unknown = Array.isArray(names) ? names[0] : names;
  const name = typeof first === 'string' ? first.replace(/\p{Cc}+/gu, ' ').slice(0, 120) : '';
  return { issuer: name === '' ? 'an issuer without a name' : name, validTo };
}
