/** HTTP plumbing of the plane: routes, the owner's token, bounded bodies, error bodies. Knows no resource. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as z from 'zod';
import type { Json, JsonObject } from '../runner-core/model/json.ts';
import type { Log } from '../runner-core/ports.ts';
import { HttpProblem, invalidBody, invalidField } from './http-problem.ts';
import { parseUuid, sameHash, tokenHash } from './identifiers.ts';

const MAX_BODY_BYTES = 4_194_304;

export interface RestRequest {
  readonly method: string;
  readonly query: URLSearchParams;
  /** What the pattern's `{…}` stood for, in order; canonical UUIDs. */
  readonly ids: readonly string[];
  /** Parsed JSON; undefined when there was no body. */
  readonly body: unknown;
}

export interface RestReply {
  readonly status: number;
  readonly body: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Path with `{name}` for each UUID. */
  readonly path: string;
  /** May throw HttpProblem, or ZodError for the body. */
  readonly handle: (request: RestRequest) => RestReply;
}

export function ok(body: Json, headers?: Readonly<Record<string, string>>): RestReply {
  return headers === undefined ? { status: 200, body } : { status: 200, body, headers };
}

export function createRestServer(
  routes: readonly Route[],
  ownerTokenHash: string,
  log: Log,
): Server {
  const server = createServer((request, response) => {
    answer(routes, ownerTokenHash, request)
      .catch((error: unknown) => replyTo(error, log, request.method ?? ''))
      .then((reply) => write(response, reply))
      .catch((error: unknown) => log.warn('reply failed', { problem: String(error) }));
  });
  server.on('clientError', (_error, wire) => {
    if (!wire.writable) return;
    wire.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });
  return server;
}

async function answer(
  routes: readonly Route[],
  ownerTokenHash: string,
  request: IncomingMessage,
): Promise<RestReply> {
  const url = requestUrl(request);
  if (url === undefined) throw new HttpProblem(404, 'Not Found');
  const path = url.pathname.replace(/(.)\/$/, '$1');
  const onPath = routes.filter((route) => matchPath(route.path, path) !== undefined);
  if (onPath.length === 0) throw new HttpProblem(404, 'Not Found');
  const route = onPath.find(({ method }) => method === request.method);
  if (route === undefined) throw new HttpProblem(405, 'Method Not Allowed');
  authenticate(request, ownerTokenHash);
  const ids = (matchPath(route.path, path) ?? []).map(([name, text]) => {
    const id = parseUuid(text);
    if (id !== undefined) return id;
    const msg = 'Input should be a valid UUID';
    throw invalidField({ type: 'uuid_parsing', loc: ['path', name], msg, input: text });
  });
  const body = await readBody(request);
  return route.handle({ method: route.method, query: url.searchParams, ids, body });
}

/** What was asked for, or undefined for a target that no address can be made of. */
export function requestUrl(request: IncomingMessage): URL | undefined {
  const target = request.url ?? '/';
  return URL.canParse(target, 'http://plane') ? new URL(target, 'http://plane') : undefined;
}

/** Name and text of each `{…}`, or undefined when `path` is another one. */
function matchPath(
  pattern: string,
  path: string,
): readonly (readonly [string, string])[] | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const found: [string, string][] = [];
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    if (part.startsWith('{')) found.push([part.slice(1, -1), text]);
    else if (part !== text) return undefined;
  }
  return found;
}

/** The owner's token; a runner's token opens no REST route. */
function authenticate(request: IncomingMessage, ownerTokenHash: string): void {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) throw new HttpProblem(401, 'Not authenticated');
  if (!sameHash(tokenHash(token), ownerTokenHash)) {
    throw new HttpProblem(401, 'Could not validate credentials');
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Read on without keeping anything: cutting the upload would keep the peer from seeing the answer.
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else if (bytes > 4 * MAX_BODY_BYTES) break;
  }
  if (bytes > MAX_BODY_BYTES) {
    throw new HttpProblem(413, `Request body is larger than ${MAX_BODY_BYTES} bytes`);
  }
  if (bytes === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw invalidField({
      type: 'json_invalid',
      loc: ['body'],
      msg: 'JSON decode error',
      input: null,
    });
  }
}

function replyTo(error: unknown, log: Log, method: string): RestReply {
  const problem = error instanceof z.ZodError ? invalidBody(error, 'body') : error;
  if (problem instanceof HttpProblem) {
    const headers = problem.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
    return { status: problem.status, body: problem.body, headers };
  }
  log.error('request failed', { method, problem: error instanceof Error ? error.name : 'unknown' });
  return { status: 500, body: { detail: 'Internal Server Error' } };
}

function write(response: ServerResponse, reply: RestReply): void {
  const text = JSON.stringify(reply.body);
  response.writeHead(reply.status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...reply.headers,
  });
  response.end(text);
}

/** A whole number from the query. Throws HttpProblem 422. */
export function queryInteger(
  query: URLSearchParams,
  name: string,
  bounds: { readonly fallback: number; readonly min: number; readonly max: number },
): number {
  const text = query.get(name);
  if (text === null) return bounds.fallback;
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
  const refuse = (type: string, msg: string): HttpProblem =>
    invalidField({ type, loc: ['query', name], msg, input: text });
  if (value === undefined) throw refuse('int_parsing', 'Input should be a valid integer');
  if (value < bounds.min) {
    throw refuse('greater_than_equal', `Input should be greater than or equal to ${bounds.min}`);
  }
  if (value > bounds.max) {
    throw refuse('less_than_equal', `Input should be less than or equal to ${bounds.max}`);
  }
  return value;
}

/** A truth value from the query. Throws HttpProblem 422. */
export function queryBoolean(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  const word = text?.toLowerCase() ?? 'false';
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  if (['false', '0', 'no', 'off'].includes(word)) return false;
  const msg = 'Input should be a valid boolean';
  throw invalidField({ type: 'bool_parsing', loc: ['query', name], msg, input: text });
}

/** The body as an object; nothing at all counts as an empty one. Throws HttpProblem 422. */
export function objectBody(body: unknown): JsonObject {
  if (body === undefined) return {};
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
  const msg = 'Input should be a valid dictionary';
  throw invalidField({ type: 'dict_type', loc: ['body'], msg, input: null });
}
