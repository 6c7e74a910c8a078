/** A session's link that records frames and lets the test settle each as the service would. */
import { linesOf } from './outgoing-lines.ts';
import type { Reply } from '../../runner-core/listener/reply-queue.ts';
import type { Link } from '../../runner-core/listener/session-socket.ts';
import type { ClientFrame } from '../../runner-core/wire/frames.ts';

export class FakeLink implements Link {
  readonly acknowledgesLogs: boolean;
  readonly sent: ClientFrame[] = [];
  /** What `bufferedBytes` says. */
  buffered = 0;
  readonly #open: ((reply: Reply) => void)[] = [];

  constructor(acknowledgesLogs = true) {
    this.acknowledgesLogs = acknowledgesLogs;
  }

  send(frame: ClientFrame, settle: (reply: Reply) => void = () => undefined): void {
    this.sent.push(frame);
    this.#open.push(settle);
  }

  bufferedBytes(): number {
    return this.buffered;
  }

  /** Frames not yet settled. */
  get inFlight(): number {
    return this.#open.length;
  }

  /** Settles the oldest `count` frames that are in flight now. */
  settle(count = this.#open.length, reply: Reply = { kind: 'acknowledged' }): void {
    for (const settle of this.#open.splice(0, count)) settle(reply);
  }

  /** What was sent, in short: `job:batch index` or `job:STATUS`. */
  get story(): string[] {
    return this.sent.map((frame) => {
      if (frame.type === 'logs')
        return `${jobNumber(frame.execution_id)}:${linesOf(frame.lines).join(' ').replaceAll('line ', '')}`;
      if (frame.type === 'complete') return `${jobNumber(frame.execution_id)}:${frame.status}`;
      return frame.type;
    });
  }
}

function jobNumber(executionId: string): number {
  return Number.parseInt(executionId.slice(-12), 16);
}
