/** The sockets this process holds, one a runner: the newest. Owns pushes and goodbyes, not the frames' meaning. */
import type { JsonObject } from '../runner-core/model/json.ts';

/** One accepted connection of a runner. */
export interface LiveSocket {
  readonly runnerId: string;
  /** Queues a frame; does nothing once the socket is closing. */
  send(frame: JsonObject): void;
  /** Says goodbye with these frames and close code 1008; inbound frames are ignored from now on. */
  evict(frames: readonly JsonObject[]): void;
}

export class LiveSockets {
  readonly #byRunner = new Map<string, LiveSocket>();

  enter(socket: LiveSocket): void {
    this.#byRunner.set(socket.runnerId, socket);
  }

  /** Forgets `socket` unless a newer one took its place. */
  leave(socket: LiveSocket): void {
    if (this.#byRunner.get(socket.runnerId) === socket) this.#byRunner.delete(socket.runnerId);
  }

  get(runnerId: string): LiveSocket | undefined {
    return this.#byRunner.get(runnerId);
  }
}
