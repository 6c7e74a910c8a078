/** Runs searches in a worker, with a time limit a batch. Owns the worker; `find-session.ts` owns what is searched. */
import type { FindOrder } from './find-worker.ts';
import { compile, type FindBatch, type FindQuery, type HitList } from './find-text.ts';

export interface FindEngine {
  /** Rejects with SlowPatternError; nothing is left running then. One call at a time. */
  search(query: FindQuery, batch: FindBatch): Promise<HitList>;
  stop(): void;
}

/** A pattern took too long for one batch. */
export class SlowPatternError extends Error {}

/** A batch has 512 records; a sane pattern takes under a millisecond for them. */
const BATCH_LIMIT_MS = 1_000;

export class WorkerFindEngine implements FindEngine {
  #worker: Worker | undefined;

  search(query: FindQuery, batch: FindBatch): Promise<HitList> {
    const compiled = compile(query);
    if (!('pattern' in compiled)) return Promise.resolve(new Int32Array());
    const worker = (this.#worker ??= new Worker(new URL('./find-worker.ts', import.meta.url), {
      type: 'module',
    }));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.stop();
        reject(new SlowPatternError());
      }, BATCH_LIMIT_MS);
      worker.onmessage = (event: MessageEvent<HitList>) => {
        clearTimeout(timer);
        resolve(event.data);
      };
      worker.onerror = (event) => {
        clearTimeout(timer);
        this.stop();
        reject(new Error(event.message));
      };
      const order: FindOrder = { query, batch };
      worker.postMessage(order, { transfer: [batch.ends.buffer] });
    });
  }

  stop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}
