/** When the plane saw heartbeats of its only runner, read from the plane over REST. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { PLANE_FILES } from '../../main/embedded-plane.ts';

const HEARTBEAT_MS = 15_000;
const LOOK_MS = 200;
/** Intervals needed before anything can be said. */
const MIN_INTERVALS = 3;

const runnersSchema = z.array(z.object({ last_heartbeat: z.string() })).min(1);

export class HeartbeatWatch {
  readonly #url: string;
  readonly #token: string;
  readonly #seenMs: number[] = [];
  readonly #ended: Promise<void>;
  #stop = false;

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
    this.#ended = this.#look();
  }

  static async start(planeDir: string): Promise<HeartbeatWatch> {
    const [url, token] = await Promise.all(
      [PLANE_FILES.address, PLANE_FILES.token].map((name) =>
        readFile(join(planeDir, name), 'utf8'),
      ),
    );
    return new HeartbeatWatch((url ?? '').trim(), (token ?? '').trim());
  }

  /** Waits until enough heartbeats were seen; the farthest any interval was from 15 s, in ms. */
  async worstDeviation(): Promise<number> {
    // The first instant may be the connection's own, which is no heartbeat of the series.
    while (this.#seenMs.length < MIN_INTERVALS + 2) await sleep(LOOK_MS);
    await this.stop();
    const beats = this.#seenMs.slice(1);
    const intervals = beats.slice(1).map((atMs, index) => atMs - (beats[index] ?? Number.NaN));
    return Math.max(...intervals.map((ms) => Math.abs(ms - HEARTBEAT_MS)));
  }

  /** Ends the watching without an answer. */
  async stop(): Promise<void> {
    this.#stop = true;
    await this.#ended;
  }

  async #look(): Promise<void> {
    while (!this.#stop) {
      const response = await fetch(`${this.#url}/api/v1/runners`, {
        headers: { Authorization: `Bearer ${this.#token}` },
      });
      const atMs = Date.parse(runnersSchema.parse(await response.json())[0]?.last_heartbeat ?? '');
      if (this.#seenMs.at(-1) !== atMs) this.#seenMs.push(atMs);
      await sleep(LOOK_MS);
    }
  }
}
