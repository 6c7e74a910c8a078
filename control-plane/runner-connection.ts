/** One authenticated socket of a runner: sending, ending, saying goodbye. What frames mean is for the handlers. */
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { Clock, Timer } from '../runner-core/ports.ts';
import type { JsonObject } from '../runner-core/model/json.ts';
import type { Effects } from './effects.ts';
import type { LiveSocket } from './live-sockets.ts';

export const GOODBYE_BUDGET_MS = 5_000;
/** A peer that does not read its replies is cut here rather than filling our memory. */
const MAX_UNSENT_BYTES = 67_108_864;

export const CLOSE = { ended: 1000, refused: 1008, failed: 1011 } as const;

export interface ConnectionKeys {
  readonly runnerId: string;
  readonly connectionId: string;
  /** Of the token this connection was opened with. */
  readonly tokenHash: string;
}

export class RunnerConnection implements LiveSocket {
  readonly runnerId: string;
  readonly connectionId: string;
  readonly tokenHash: string;
  readonly #socket: WebSocket;
  readonly #wire: Duplex;
  readonly #clock: Clock;
  #goodbye: Timer | undefined;
  #isOver = false;

  constructor(keys: ConnectionKeys, socket: WebSocket, wire: Duplex, clock: Clock) {
    this.runnerId = keys.runnerId;
    this.connectionId = keys.connectionId;
    this.tokenHash = keys.tokenHash;
    this.#socket = socket;
    this.#wire = wire;
    this.#clock = clock;
    socket.once('close', () => this.#goodbye?.cancel());
  }

  /** The loop is over: frames that are still queued are dropped. */
  isOver(): boolean {
    return this.#isOver;
  }

  /** The peer is gone. */
  lost(): void {
    this.#isOver = true;
  }

  /** Sends once the transaction is on disk. Written out now: a frame that cannot be written fails here. */
  reply(frame: JsonObject, effects: Effects): void {
    const text = JSON.stringify(frame);
    effects.add(() => this.#sendText(text));
  }

  send(frame: JsonObject): void {
    this.#sendText(JSON.stringify(frame));
  }

  /** No further frame is handled; the socket closes after what was replied so far. */
  endLoop(effects: Effects, code: number = CLOSE.ended): void {
    this.#isOver = true;
    effects.add(() => this.#close(code));
  }

  evict(frames: readonly JsonObject[]): void {
    this.#isOver = true;
    for (const frame of frames) this.send(frame);
    this.#close(CLOSE.refused);
  }

  /** Cuts the connection without a word. */
  cut(): void {
    this.#isOver = true;
    this.#socket.terminate();
  }

  /** Gathers what is sent until `uncork` into one write. */
  cork(): void {
    this.#wire.cork();
  }

  uncork(): void {
    this.#wire.uncork();
  }

  #sendText(text: string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount > MAX_UNSENT_BYTES) this.cut();
  }

  #close(code: number): void {
    this.#socket.close(code);
    this.#goodbye ??= this.#clock.after(GOODBYE_BUDGET_MS, () => this.#socket.terminate());
  }
}
