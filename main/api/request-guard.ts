/**
 * Who may speak to the local API at all: decided by the head of a request alone, before anything else. A page of
 * another site reaches loopback too, so an address that resolves to us (DNS rebinding) is known by its `Host`, and
 * a form or socket of another page by its `Origin`. Pure.
 */
import type { IncomingHttpHeaders } from 'node:http';

export type Refusal =
  | { readonly status: 400; readonly why: string }
  | { readonly status: 403; readonly why: string }
  | { readonly status: 421; readonly why: string };

export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values as they came: a second Host is dropped from `headers`. */
  readonly rawHeaders: readonly string[];
}

/** Null for a request that may go on. `isUpgrade`: it asks for a socket. */
export function refusalOf(head: RequestHead, port: number, isUpgrade: boolean): Refusal | null {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const given = head.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  if (
    given.filter((name) => name === 'host').length !== 1 ||
    !hosts.includes(head.headers.host ?? '')
  )
    return { status: 421, why: 'This address is not the one this app answers at.' };
  if (!head.url.startsWith('/')) return { status: 400, why: 'The request names no path.' };
  const { origin } = head.headers;
  const isOurs = origin === undefined || hosts.some((host) => origin === `http://${host}`);
  const changes = head.method !== 'GET' && head.method !== 'HEAD';
  if ((isUpgrade || changes) && !isOurs)
    return { status: 403, why: 'Another page may not speak to this app.' };
  // Sent by browsers of themselves; a page cannot set it.
  const site = head.headers['sec-fetch-site'];
  if ((isUpgrade || changes) && site !== undefined && site !== 'same-origin' && site !== 'none')
    return { status: 403, why: 'Another page may not speak to this app.' };
  return null;
}
