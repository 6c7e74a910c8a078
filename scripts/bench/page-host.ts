/**
 * A host for measuring the page: serves the built page and speaks its contract, with as many jobs as asked for
 * and one job whose log arrives at a set rate. Nothing is stored and no engine is needed.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import {
  pageFrameSchema,
  SESSION_PATH,
  SOCKET_PATH,
  type HostFrame,
} from '../../main/contract/frames.ts';
import { REQUESTS } from '../../main/contract/requests.ts';
import { TOPICS } from '../../main/contract/topics.ts';
import {
  JOB_STATES,
  type JobRow,
  type JobView,
  type LogRecordView,
  type OverviewView,
} from '../../main/contract/views.ts';
import { CONTRACT_VERSION } from '../../main/contract/version.ts';
import { CONTENT_SECURITY_POLICY } from '../../main/api/security-headers.ts';

/** A job whose log is made as it is asked for. */
export interface ScriptedJob {
  readonly view: () => JobView;
  /** Records that were printed by now. */
  readonly printed: () => number;
  readonly record: (index: number) => LogRecordView;
  readonly over: () => boolean;
}

export interface PageHostOptions {
  readonly pageDir: string;
  readonly overview: () => OverviewView;
  readonly jobs: number;
  readonly rowAt: (index: number) => JobRow;
  readonly job: ScriptedJob;
}

export interface PageHost {
  readonly address: string;
  stop(): Promise<void>;
}

/** As a real host bounds its pages. */
const LOG_PAGE_RECORDS = 1_000;
const LOOK_AGAIN_MS = 20;
/** As a real host bounds what it sends of a topic: ten a second. */
const VIEW_EVERY_MS = 100;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export async function startPageHost(options: PageHostOptions): Promise<PageHost> {
  const server = createServer((request, response) => {
    void serve(request, response, options.pageDir);
  });
  const sockets = new WebSocketServer({ server, path: SOCKET_PATH });
  sockets.on('connection', (peer) => new MeasuredSession(peer, options));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    address: `http://127.0.0.1:${port}/`,
    stop: () =>
      new Promise((resolve) => {
        for (const peer of sockets.clients) peer.terminate();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  pageDir: string,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
  if (path === SESSION_PATH) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"token":"measured"}');
    return;
  }
  const body = await readFile(join(pageDir, normalize(path === '/' ? '/index.html' : path))).catch(
    () => undefined,
  );
  if (body === undefined) response.writeHead(404).end();
  else
    response
      .writeHead(200, {
        'content-type': TYPES[extname(path)] ?? 'text/html; charset=utf-8',
        'content-security-policy': CONTENT_SECURITY_POLICY,
      })
      .end(body);
}

class MeasuredSession {
  readonly #peer: WebSocket;
  readonly #options: PageHostOptions;
  /** Log watches: the next record of each, and whether the page has taken the last page. */
  readonly #logs = new Map<number, { next: number; ready: boolean; told: boolean }>();
  /** Watches of the job, and how much of it each was told. */
  readonly #jobs = new Map<number, number>();
  readonly #counts: Record<string, number> = Object.fromEntries(
    JOB_STATES.map((state) => [state, 0]),
  );

  constructor(peer: WebSocket, options: PageHostOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#counts['succeeded'] = options.jobs;
    const timer = setInterval(() => {
      for (const id of this.#logs.keys()) this.#sendLog(id);
    }, LOOK_AGAIN_MS);
    const views = setInterval(() => this.#sendJobs(), VIEW_EVERY_MS);
    peer.on('close', () => {
      clearInterval(timer);
      clearInterval(views);
    });
    peer.on('message', (data: Buffer) => this.#receive(data.toString('utf8')));
  }

  #receive(text: string): void {
    const frame = pageFrameSchema.parse(JSON.parse(text));
    if (frame.kind === 'authenticate')
      this.#send({ kind: 'ready', contract: CONTRACT_VERSION, version: '0.0.0' });
    else if (frame.kind === 'request') this.#answer(frame.id, frame.name, frame.input);
    else if (frame.kind === 'watch') this.#watch(frame.id, frame.topic, frame.parameters);
    else if (frame.kind === 'unwatch') {
      this.#logs.delete(frame.id);
      this.#jobs.delete(frame.id);
    } else {
      const log = this.#logs.get(frame.id);
      if (log === undefined) return;
      log.ready = true;
      this.#sendLog(frame.id);
    }
  }

  #watch(id: number, topic: string, parameters: unknown): void {
    const options = this.#options;
    const value = (view: unknown): void => this.#send({ kind: 'value', id, value: view });
    if (topic === 'overview') value(options.overview());
    else if (topic === 'jobs') value({ revision: 1, total: options.jobs });
    else if (topic === 'permissions') value({ allowed: [], problem: null });
    else if (topic === 'job') {
      this.#jobs.set(id, options.job.printed());
      value(options.job.view());
    } else if (topic === 'job_log') {
      const { fromRecord } = TOPICS.job_log.parameters.parse(parameters);
      this.#logs.set(id, { next: fromRecord, ready: true, told: false });
      this.#sendLog(id);
    }
  }

  /** A view of a job that prints is another one each time, so a host sends it as often as it may. */
  #sendJobs(): void {
    const printed = this.#options.job.printed();
    for (const [id, told] of this.#jobs) {
      if (told === printed) continue;
      this.#jobs.set(id, printed);
      this.#send({ kind: 'value', id, value: this.#options.job.view() });
    }
  }

  #sendLog(id: number): void {
    const log = this.#logs.get(id);
    if (log === undefined || !log.ready) return;
    const { job } = this.#options;
    const records = this.#records(log.next, LOG_PAGE_RECORDS);
    const next = log.next + records.length;
    const complete = job.over() && next === job.printed();
    if (records.length === 0 && (!complete || log.told)) return;
    log.next = next;
    log.ready = false;
    log.told = complete;
    this.#send({ kind: 'value', id, value: { records, nextRecord: next, complete } });
  }

  #records(from: number, limit: number): LogRecordView[] {
    const count = Math.max(0, Math.min(this.#options.job.printed() - from, limit));
    return Array.from({ length: count }, (_, index) => this.#options.job.record(from + index));
  }

  #answer(id: number, name: string, input: unknown): void {
    if (name === 'log.page') {
      const { fromRecord, limit } = REQUESTS['log.page'].input.parse(input);
      const records = this.#records(fromRecord, limit);
      const result = { records, nextRecord: fromRecord + records.length };
      this.#send({ kind: 'result', id, result });
    } else if (name === 'jobs.page') {
      const { offset, limit } = REQUESTS['jobs.page'].input.parse(input);
      const { jobs, rowAt } = this.#options;
      const count = Math.max(0, Math.min(limit, jobs - offset));
      const rows = Array.from({ length: count }, (_, index) => rowAt(offset + index));
      const result = { rows, total: jobs, counts: this.#counts, revision: 1 };
      this.#send({ kind: 'result', id, result });
    } else this.#send({ kind: 'result', id, result: {} });
  }

  #send(frame: HostFrame): void {
    this.#peer.send(JSON.stringify(frame));
  }
}
