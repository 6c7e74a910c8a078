/** A client with a socket, a clock and chance that a test holds in its hands. */
import type { HostFrame, PageFrame } from '../../main/contract/frames.ts';
import { CONTRACT_VERSION } from '../../main/contract/version.ts';
import { HostClient, type Socket } from '../../renderer/host-client/host-client.ts';
import type { SignInResult } from '../../renderer/host-client/sign-in.ts';

export class FakeSocket implements Socket {
  readonly sent: PageFrame[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;

  send(text: string): void {
    this.sent.push(JSON.parse(text) as PageFrame);
  }

  close(): void {
    this.closed = true;
  }

  receive(frame: HostFrame): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  /** The last frame of this kind that the page sent. */
  last<K extends PageFrame['kind']>(kind: K): Extract<PageFrame, { kind: K }> {
    const found = this.sent.findLast((frame) => frame.kind === kind);
    if (found === undefined) throw new Error(`no ${kind} was sent`);
    return found as Extract<PageFrame, { kind: K }>;
  }
}

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

export class ClientBench {
  readonly sockets: FakeSocket[] = [];
  readonly reloads: number[] = [];
  readonly client: HostClient;
  signIn: SignInResult = { kind: 'signed_in', token: 'token-1' };
  forgotten = 0;
  nowMs = 1_000_000;
  /** What `reloadOnce` answers. */
  reloadsLeft = 1;
  #timers: Timer[] = [];

  constructor() {
    this.client = new HostClient({
      openSocket: () => {
        const socket = new FakeSocket();
        this.sockets.push(socket);
        return socket;
      },
      signIn: () => Promise.resolve(this.signIn),
      forgetToken: () => (this.forgotten += 1),
      reloadOnce: (contract) => {
        this.reloads.push(contract);
        this.reloadsLeft -= 1;
        return this.reloadsLeft >= 0;
      },
      nowMs: () => this.nowMs,
      after: (delayMs, run) => {
        const timer = { atMs: this.nowMs + delayMs, run };
        this.#timers.push(timer);
        return () => (this.#timers = this.#timers.filter((other) => other !== timer));
      },
      fraction: () => 0,
    });
  }

  get socket(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error('no socket was opened');
    return socket;
  }

  /** Signs in and gets as far as the host's `ready`. */
  async connected(): Promise<this> {
    await this.client.connect();
    this.ready();
    return this;
  }

  ready(contract = CONTRACT_VERSION): void {
    this.socket.onopen?.();
    this.socket.receive({ kind: 'ready', contract, version: '0.1.0' });
  }

  /** Runs what is due by then, in order, and what that starts. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.nowMs + byMs;
    for (;;) {
      const due = this.#timers.filter(({ atMs }) => atMs <= untilMs);
      const next = due.sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.nowMs = next.atMs;
      next.run();
      await Promise.resolve();
      await Promise.resolve();
    }
    this.nowMs = untilMs;
  }
}
