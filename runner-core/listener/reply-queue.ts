/**
 * Which reply belongs to which frame. The service answers each frame of ours exactly once and in
 * order, mostly with a bare `ack`, so order is the only correlation; batch ids check it. Frames the
 * service sends on its own (`hello`, `job`, `halt`, evictions) never come here.
 */
import type { ClientFrame, ServerFrame } from '../wire/frames.ts';
import { EXECUTION_GONE, INVALID_COMPLETION_STATUS, INVALID_LOG_BATCH } from '../wire/errors.ts';

/** `missed`: a reply to a later frame came first, so this one's was lost; nothing is known. */
export type Reply =
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'missed' };

type ReplyFrame = Extract<ServerFrame, { type: 'ack' | 'logs_ack' | 'error' }>;

interface Awaited {
  readonly type: ClientFrame['type'];
  readonly batchId: string | null;
  readonly settle: (reply: Reply) => void;
}

export class ReplyQueue {
  #awaited: Awaited[] = [];

  get length(): number {
    return this.#awaited.length;
  }

  expect(frame: ClientFrame, settle: (reply: Reply) => void): void {
    const batchId = frame.type === 'logs' ? (frame.batch_id ?? null) : null;
    this.#awaited.push({ type: frame.type, batchId: canonical(batchId), settle });
  }

  /** Settles the frame that `reply` answers, and as missed those before it. False: it answers none. */
  take(reply: ReplyFrame): boolean {
    const at = this.#answeredBy(reply);
    if (at < 0) return false;
    const settled = this.#awaited.splice(0, at + 1);
    const answered = settled.pop();
    for (const passedOver of settled) passedOver.settle({ kind: 'missed' });
    answered?.settle(
      reply.type === 'error' ? { kind: 'refused', error: reply.error } : { kind: 'acknowledged' },
    );
    return true;
  }

  #answeredBy(reply: ReplyFrame): number {
    const batchId = canonical(reply.batch_id);
    switch (reply.type) {
      case 'logs_ack':
        return this.#indexOf((frame) => frame.type === 'logs' && frame.batchId === batchId);
      case 'ack':
        // A batch with an id is answered by name; a bare `ack` is meant for something else.
        return this.#indexOf((frame) => frame.batchId === null || frame.batchId === batchId);
      case 'error':
        if (reply.error === INVALID_LOG_BATCH)
          return this.#indexOf((frame) =>
            batchId === null ? frame.type === 'logs' : frame.batchId === batchId,
          );
        if (reply.error === EXECUTION_GONE || reply.error === INVALID_COMPLETION_STATUS)
          return this.#indexOf((frame) => frame.type === 'complete');
        return this.#awaited.length === 0 ? -1 : 0;
    }
  }

  #indexOf(matches: (frame: Awaited) => boolean): number {
    return this.#awaited.findIndex(matches);
  }
}

/** The service echoes ids as sent, or in the UUID's canonical form. */
function canonical(batchId: unknown): string | null {
  return typeof batchId === 'string' && batchId !== ''
    ? batchId.toLowerCase().replaceAll('-', '')
    : null;
}
