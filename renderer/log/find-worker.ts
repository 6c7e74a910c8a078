/** Searches batches away from the page's own thread, where a pattern that never ends can be ended with it. */
import { compile, hitsIn, type FindBatch, type FindQuery } from './find-text.ts';

export interface FindOrder {
  readonly query: FindQuery;
  readonly batch: FindBatch;
}

self.onmessage = (event: MessageEvent<FindOrder>) => {
  const { query, batch } = event.data;
  const compiled = compile(query);
  const hits = 'pattern' in compiled ? hitsIn(batch, compiled.pattern) : new Int32Array();
  self.postMessage(hits, { transfer: [hits.buffer] });
};
