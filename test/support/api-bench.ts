/** A real local API on a port of its own, over views the test sets; every socket and the server end with the test. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { LocalApi } from '../../main/api/http-server.ts';
import type { PageViews, RequestHandlers } from '../../main/api/page-source.ts';
import { SignIn } from '../../main/api/sign-in.ts';
import { Subjects } from '../../main/api/subjects.ts';
import {
  hostFrameSchema,
  SESSION_PATH,
  SOCKET_PATH,
  type HostFrame,
  type PageFrame,
} from '../../main/contract/frames.ts';
import { CONTRACT_VERSION } from '../../main/contract/version.ts';
import { systemClock } from '../../runner-core/system.ts';
import type { Clock } from '../../runner-core/ports.ts';
import { RecordedLog } from './recorded-log.ts';
import { tempDir } from './temp-dir.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Settings in memory; give the same to two benches to start a host over. */
export class MemorySettings {
  readonly values = new Map<string, string>();
  get(name: string): string | undefined {
    return this.values.get(name);
  }
  set(name: string, value: string): void {
    this.values.set(name, value);
  }
  delete(name: string): void {
    this.values.delete(name);
  }
}

export class ApiBench {
  readonly clock: Clock;
  readonly subjects = new Subjects();
  readonly settings: MemorySettings;
  readonly signIn: SignIn;
  readonly log = new RecordedLog();
  readonly pageDir = join(tempDir(), 'page');
  readonly views: { -readonly [K in keyof PageViews]: PageViews[K] };
  readonly handlers: RequestHandlers;
  #api: LocalApi | null = null;

  constructor(given: { readonly settings?: MemorySettings; readonly clock?: Clock } = {}) {
    this.clock = given.clock ?? systemClock;
    this.settings = given.settings ?? new MemorySettings();
    this.signIn = new SignIn({ clock: this.clock, settings: this.settings });
    const unset = (): never => {
      throw new Error('not set by the test');
    };
    this.views = {
      overview: unset,
      jobs: () => ({ revision: 1, total: 0 }),
      job: () => null,
      permissions: () => ({ allowed: [], problem: null }),
      health: unset,
      events: () => ({ events: [], total: 0 }),
      profiles: unset,
      profileTry: () => null,
      conversation: () => null,
      log: unset,
    };
    this.handlers = {
      'jobs.page': unset,
      'log.page': unset,
      'job.stop': () => ({}),
      'job.pin': () => ({}),
      'job.unpin': () => ({}),
      'job.run_again': unset,
      'job.submit': unset,
      'job.test': unset,
      'host.pause': () => ({}),
      'host.resume': () => ({}),
      'host.offline': () => ({}),
      'host.takeBack': () => ({}),
      'host.online': () => ({}),
      'host.quit': () => ({}),
      'page.address': () => ({ url: this.api.signInUrl() }),
      'leftover.remove': () => ({}),
      'health.run': unset,
      'health.mute': () => ({}),
      'health.unmute': () => ({}),
      'profiles.list': unset,
      'profiles.check': unset,
      'profiles.save': unset,
      'profiles.remove': () => ({}),
      'profiles.duplicate': unset,
      'profiles.import': unset,
      'profiles.export': unset,
      'profiles.recheck': () => ({}),
      'profiles.try': unset,
      'profiles.try_stop': () => ({}),
      'job.conversation': unset,
      'profiles.turn': () => ({}),
      'profiles.allow': () => ({}),
      'engine.check': () => ({}),
      'permission.allow': () => ({}),
      'permission.revoke': () => ({}),
    };
  }

  async start(port: number | null = null): Promise<this> {
    const { clock, log, pageDir, signIn, views, handlers, subjects } = this;
    mkdirSync(join(pageDir, 'assets'), { recursive: true });
    writeFileSync(join(pageDir, 'index.html'), '<!doctype html><title>page</title>');
    writeFileSync(join(pageDir, 'assets', 'main-1a2b.js'), 'export {};');
    const version = '1.2.3';
    const deps = { clock, log, pageDir, signIn, views, handlers, subjects, port, version };
    const api = await LocalApi.start(deps);
    this.#api = api;
    onTestFinished(() => api.stop());
    return this;
  }

  get api(): LocalApi {
    if (this.#api === null) throw new Error('start the bench first');
    return this.#api;
  }

  /** A request with exactly these headers beside Host, which may be another as well. */
  ask({ method = 'GET', path = '/', headers = {}, body }: Asked = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { port } = this.api;
      const given = { host: `127.0.0.1:${port}`, ...headers };
      const options = { host: '127.0.0.1', port, method, path, headers: given, agent: false };
      const sent = request(options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (text += part));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  trade(code: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask({
      method: 'POST',
      path: SESSION_PATH,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ code }),
    });
  }

  /** A token, as the page gets one. */
  async token(): Promise<string> {
    const { text } = await this.trade(this.signIn.newCode());
    const { token } = JSON.parse(text) as { token: string };
    return token;
  }

  /** The status an upgrade was answered with: 101, or the refusal. */
  upgrade(
    headers: Readonly<Record<string, string>> = {},
    path: string = SOCKET_PATH,
  ): Promise<number> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.api.port}${path}`, { headers });
    onTestFinished(() => socket.terminate());
    return new Promise((resolve) => {
      socket.once('open', () => resolve(101));
      socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode ?? 0));
      socket.on('error', () => undefined);
    });
  }

  /** An open socket that has not signed in. */
  async socket(): Promise<TestPage> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.api.port}${SOCKET_PATH}`);
    onTestFinished(() => socket.terminate());
    const page = new TestPage(socket);
    await new Promise((resolve) => socket.once('open', resolve));
    return page;
  }

  /** A page that has signed in. */
  async page(): Promise<TestPage> {
    const page = await this.socket();
    page.send({ kind: 'authenticate', token: await this.token(), contract: CONTRACT_VERSION });
    await page.next('ready');
    return page;
  }
}

type Of<Kind extends HostFrame['kind']> = Extract<HostFrame, { kind: Kind }>;

export class TestPage {
  readonly socket: WebSocket;
  /** The code the socket was closed with. */
  readonly closed: Promise<number>;
  readonly frames: HostFrame[] = [];
  #waiting: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      this.frames.push(hostFrameSchema.parse(JSON.parse(data.toString('utf8'))));
      for (const look of this.#waiting.splice(0)) look();
    });
  }

  send(frame: PageFrame): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** Takes the oldest frame of this kind that was not taken, waiting for it. */
  async next<Kind extends HostFrame['kind']>(kind: Kind): Promise<Of<Kind>> {
    for (;;) {
      const at = this.frames.findIndex((frame) => frame.kind === kind);
      const [frame] = at === -1 ? [] : this.frames.splice(at, 1);
      if (frame !== undefined) return frame as Of<Kind>;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
