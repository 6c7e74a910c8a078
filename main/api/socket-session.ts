/**
 * One page on its socket: signs in with the first frame, then asks and watches. Every frame is parsed by the
 * contract; the first that does not fit ends the session, since whoever sent it is not our page.
 */
import {
  AUTHENTICATE_WITHIN_MS,
  pageFrameSchema,
  type HostFrame,
  type PageFrame,
  type Problem,
} from '../contract/frames.ts';
import { CONTRACT_VERSION } from '../contract/version.ts';
import type { Clock, Log, Timer } from '../../runner-core/ports.ts';
import { problemOf, ProblemError } from '../problem.ts';
import { openFeed } from './open-feed.ts';
import type { PageViews, RequestHandlers } from './page-source.ts';
import { carryOut } from './request-dispatch.ts';
import type { Subjects } from './subjects.ts';
import type { Feed } from './topic-feed.ts';

export const MAX_REQUESTS = 32;
export const MAX_WATCHES = 64;
/** A page that takes nothing while it goes on asking is cut off at this. */
export const MAX_UNSENT_BYTES = 32 * 1024 * 1024;

/** WebSocket close codes: a rule was broken; the host goes away. */
const POLICY = 1008;
const GOING_AWAY = 1001;

/** The socket, as far as a session needs it. */
export interface PageSocket {
  /** Resolves when the text left for the page, or never will. */
  send(text: string): Promise<void>;
  unsentBytes(): number;
  close(code: number): void;
  terminate(): void;
}

export interface SessionDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly isSignedIn: (token: string) => boolean;
  readonly views: PageViews;
  readonly handlers: RequestHandlers;
  readonly subjects: Subjects;
}

type AuthenticateFrame = PageFrame & { readonly kind: 'authenticate' };

export class SocketSession {
  readonly #deps: SessionDeps;
  readonly #socket: PageSocket;
  readonly #limit: Timer;
  readonly #feeds = new Map<number, Feed>();
  #requests = 0;
  #isSignedIn = false;
  #isClosed = false;

  constructor(deps: SessionDeps, socket: PageSocket) {
    this.#deps = deps;
    this.#socket = socket;
    this.#limit = deps.clock.after(AUTHENTICATE_WITHIN_MS, () =>
      this.#refuse('unauthenticated', 'The page did not sign in in time.'),
    );
  }

  /** One message of the page; null for a binary one. */
  receive(text: string | null): void {
    if (this.#isClosed) return;
    const frame = text === null ? null : parseFrame(text);
    if (frame === null) {
      this.#refuse('malformed_frame', 'The page sent something this app cannot read.');
      return;
    }
    if (this.#isSignedIn) this.#act(frame);
    else this.#signIn(frame);
  }

  /** The socket is closed: nothing is read or sent for it any more. */
  closed(): void {
    this.#isClosed = true;
    this.#limit.cancel();
    for (const feed of this.#feeds.values()) feed.stop();
    this.#feeds.clear();
  }

  /** The host ends; the page tries again on its own. */
  goAway(): void {
    if (this.#isClosed) return;
    this.closed();
    this.#socket.close(GOING_AWAY);
  }

  #signIn(frame: PageFrame): void {
    if (frame.kind !== 'authenticate') {
      this.#refuse('unauthenticated', 'The page has to sign in first.');
      return;
    }
    const refusal = this.#refusalOf(frame);
    if (refusal !== null) {
      this.#refuse(...refusal);
      return;
    }
    this.#limit.cancel();
    this.#isSignedIn = true;
    void this.#send({ kind: 'ready', contract: CONTRACT_VERSION, version: this.#deps.version });
  }

  #refusalOf({
    token,
    contract,
  }: AuthenticateFrame): readonly [code: string, message: string] | null {
    if (contract !== CONTRACT_VERSION)
      return ['contract_mismatch', 'The page is of another version than this app.'];
    if (!this.#deps.isSignedIn(token)) return ['unauthenticated', 'The sign-in is no longer good.'];
    return null;
  }

  #act(frame: PageFrame): void {
    switch (frame.kind) {
      case 'authenticate':
        this.#refuse('malformed_frame', 'The page signed in twice.');
        return;
      case 'request':
        void this.#request(frame.id, frame.name, frame.input);
        return;
      case 'watch':
        this.#watch(frame.id, frame.topic, frame.parameters);
        return;
      case 'unwatch':
        this.#unwatch(frame.id);
        return;
      case 'taken':
        this.#feeds.get(frame.id)?.taken();
        return;
    }
  }

  async #request(id: number, name: string, input: unknown): Promise<void> {
    if (this.#requests >= MAX_REQUESTS) {
      const problem = new ProblemError('busy', 'Too much was asked at once.', 'Try again.').problem;
      await this.#send({ kind: 'failed', id, problem });
      return;
    }
    this.#requests += 1;
    try {
      const result = await carryOut(this.#deps.handlers, name, input);
      await this.#send({ kind: 'result', id, result });
    } catch (error) {
      await this.#fail(id, error, { request: name });
    } finally {
      this.#requests -= 1;
    }
  }

  #watch(id: number, topic: string, parameters: unknown): void {
    const { clock, views, subjects } = this.#deps;
    const watch = { hasFailed: false };
    const failed = (error: unknown): void => {
      watch.hasFailed = true;
      this.#unwatch(id);
      void this.#fail(id, error, { topic });
    };
    try {
      if (this.#feeds.has(id))
        throw new ProblemError('watch_taken', 'This number is watched already.');
      if (this.#feeds.size >= MAX_WATCHES)
        throw new ProblemError('too_many_watches', 'Too much is watched at once.');
    } catch (error) {
      void this.#fail(id, error, { topic });
      return;
    }
    try {
      const send = (value: unknown): Promise<void> => this.#send({ kind: 'value', id, value });
      const feed = openFeed(topic, parameters, { clock, views, subjects, send, failed });
      // Its first value is read while it is made, and may end it.
      if (watch.hasFailed || this.#isClosed) feed.stop();
      else this.#feeds.set(id, feed);
    } catch (error) {
      failed(error);
    }
  }

  #unwatch(id: number): void {
    this.#feeds.get(id)?.stop();
    this.#feeds.delete(id);
  }

  async #fail(id: number, error: unknown, asked: Readonly<Record<string, string>>): Promise<void> {
    const problem: Problem = problemOf(error);
    if (problem.code === 'internal')
      this.#deps.log.error('page request failed', { ...asked, error });
    await this.#send({ kind: 'failed', id, problem });
  }

  #refuse(code: string, message: string): void {
    if (this.#isClosed) return;
    const problem: Problem = { code, message, remedy: null, field: null };
    void this.#send({ kind: 'refused', problem, contract: CONTRACT_VERSION });
    this.closed();
    this.#socket.close(POLICY);
  }

  async #send(frame: HostFrame): Promise<void> {
    if (this.#isClosed) return;
    if (this.#socket.unsentBytes() > MAX_UNSENT_BYTES) {
      this.#deps.log.warn('page cut off', { unsentBytes: this.#socket.unsentBytes() });
      this.closed();
      this.#socket.terminate();
      return;
    }
    await this.#socket.send(JSON.stringify(frame));
  }
}

function parseFrame(text: string): PageFrame | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = pageFrameSchema.safeParse(value);
  return parsed.success ? parsed.data : null;
}
