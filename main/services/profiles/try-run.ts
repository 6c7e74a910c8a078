/** One *Try it* with its worker: answers it as the listener answers a job's, and keeps what a person sees of it. */
import { recordsOf } from '../../store/chunk-records.ts';
import { ConversationBuilder } from '../../../runner-core/model/conversation.ts';
import type { Leftover } from '../../../runner-core/model/leftover.ts';
import type { Verdict } from '../../../runner-core/model/outcome.ts';
import { reasonText } from '../../../runner-core/model/reason-text.ts';
import type { Clock, Log, WorkerHandle } from '../../../runner-core/ports.ts';
import { removeProcess } from '../../../runner-core/process/remove-process.ts';
import { lostVerdict, reportedVerdict } from '../../../runner-core/wire/result-report.ts';
import type { FromWorker, ToWorker } from '../../../runner-core/worker/protocol.ts';
import { TRY_TAIL_LINES, type ProfileTryView } from '../../contract/profile-views.ts';
import { shownJson } from '../views/shown-text.ts';
import { LogConversation } from './log-conversation.ts';

const READY_LIMIT_MS = 30_000;
/** As a job's: SIGTERM, then SIGKILL, then the worker itself. */
const STOP_GRACE_MS = 5_000;
const STOP_CUTOFF_MS = 11_000;
/** A host that ends does not wait for politeness. */
const CLOSE_GRACE_MS = 500;
const CLOSE_CUTOFF_MS = 3_000;
/** The worker ends it by the deadline, with grace and drain; this is for one that does not. */
const AFTER_DEADLINE_MS = 20_000;
const EXIT_LIMIT_MS = 10_000;
const ENTRIES_SHOWN = 100;
const TAIL_LINE_CHARS = 2_000;
const BOUNDS = { entries: 2_000, chars: 2 * 2 ** 20 };

export interface TryRunDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly worker: WorkerHandle;
  readonly order: ToWorker & { readonly kind: 'run_host' };
  readonly limitMs: number;
  readonly enterTurn: (granted: () => void) => () => void;
  /** Removes the scratch folder with all in it. */
  readonly cleanUp: () => Promise<void>;
  readonly changed: () => void;
}

export class TryRun {
  readonly id: string;
  readonly name: string;
  readonly #deps: TryRunDeps;
  readonly #startedAtMs: number;
  readonly #builder = new ConversationBuilder(BOUNDS);
  readonly #lines: LogConversation;
  readonly #over = Promise.withResolvers<undefined>();
  #tail: ProfileTryView['tail'] = [];
  #lineCount = 0;
  #state: ProfileTryView['state'] = 'starting';
  #endedAtMs: number | null = null;
  #verdict: Verdict | null = null;
  #leftover: (Leftover & { kind: 'process' }) | null = null;
  #isBegun = false;
  #isStopped = false;
  #leaveTurn: () => void = () => undefined;

  constructor(deps: TryRunDeps) {
    this.#deps = deps;
    const { spec, context } = deps.order;
    this.id = spec.jobId;
    this.name = context.profile.name;
    this.#startedAtMs = deps.clock.nowMs();
    this.#lines = new LogConversation(this.#builder, ({ text, source, atMs }) => {
      this.#lineCount += 1;
      const shown = { text: text.slice(0, TAIL_LINE_CHARS), source, atMs: atMs ?? 0 };
      this.#tail = [...this.#tail.slice(1 - TRY_TAIL_LINES), shown];
    });
  }

  get isOver(): boolean {
    return this.#state === 'ended';
  }

  /** Never rejects. */
  async toTheEnd(): Promise<void> {
    const { clock, log, worker, limitMs, cleanUp, changed } = this.#deps;
    const ready = clock.after(READY_LIMIT_MS, () => {
      if (!this.#isBegun) worker.kill();
    });
    const cutoff = clock.after(READY_LIMIT_MS + limitMs + AFTER_DEADLINE_MS, () => worker.kill());
    worker.onMessage((message) => this.#receive(message));
    await worker.exited;
    ready.cancel();
    cutoff.cancel();
    this.#leaveTurn();
    try {
      // A worker that died may have left its command behind.
      if (this.#leftover !== null) await removeProcess(clock, this.#leftover);
      await cleanUp();
    } catch (error) {
      log.warn('a tried command left something behind', { profile: this.name, error });
    }
    this.#verdict ??= lostVerdict(this.#isBegun ? 'worker_crashed' : 'worker_start_failed');
    this.#verdict = reportedVerdict(this.#deps.order.spec.report, this.#verdict);
    this.#endedAtMs = clock.nowMs();
    this.#state = 'ended';
    changed();
    this.#over.resolve(undefined);
  }

  stop(graceMs = STOP_GRACE_MS, cutoffMs = STOP_CUTOFF_MS): void {
    if (this.isOver || this.#isStopped) return;
    const { clock, worker, changed } = this.#deps;
    this.#isStopped = true;
    this.#state = 'stopping';
    if (this.#isBegun) worker.send({ kind: 'stop', cause: 'owner', graceMs });
    const cutoff = clock.after(cutoffMs, () => worker.kill());
    void this.#over.promise.then(() => cutoff.cancel());
    changed();
  }

  /** The host ends. */
  async close(): Promise<void> {
    if (this.isOver) return;
    const cutoff = this.#deps.clock.after(CLOSE_CUTOFF_MS, () => this.#deps.worker.kill());
    this.stop(CLOSE_GRACE_MS, CLOSE_CUTOFF_MS);
    await this.#over.promise;
    cutoff.cancel();
  }

  view(): ProfileTryView {
    const { model, sessionId, hasEvents, total, leftOut } = this.#builder.head;
    const earlier = Math.max(0, total - ENTRIES_SHOWN);
    return {
      id: this.id,
      name: this.name,
      state: this.#state,
      startedAtMs: this.#startedAtMs,
      endedAtMs: this.#endedAtMs,
      deadlineMs: this.#startedAtMs + this.#deps.limitMs,
      conversation: {
        model,
        sessionId,
        hasEvents,
        entries: [...this.#builder.entries(earlier, ENTRIES_SHOWN)],
        earlier: earlier + leftOut,
      },
      tail: this.#tail,
      lines: this.#lineCount,
      reported: this.isOver && this.#verdict !== null ? reported(this.#verdict) : null,
    };
  }

  #receive(message: FromWorker): void {
    const { worker, enterTurn, changed, clock } = this.#deps;
    switch (message.kind) {
      case 'ready':
        if (this.#isBegun) return;
        this.#isBegun = true;
        worker.send(this.#deps.order);
        if (this.#isStopped) worker.send({ kind: 'stop', cause: 'owner', graceMs: STOP_GRACE_MS });
        return;
      case 'made':
        if (message.leftover.kind === 'process') this.#leftover = message.leftover;
        worker.send({ kind: 'noted', leftover: message.leftover });
        return;
      case 'start_wanted':
        this.#leaveTurn();
        this.#leaveTurn = enterTurn(() => worker.send({ kind: 'start_granted' }));
        return;
      case 'start_over':
        this.#leaveTurn();
        return;
      case 'phase':
        if (message.phase === 'running' && this.#state === 'starting') this.#state = 'running';
        break;
      case 'log':
        for (const chunk of message.chunks) {
          for (const record of recordsOf(chunk)) this.#lines.push(record);
          worker.send({ kind: 'log_stored', throughSeq: chunk.seq });
        }
        break;
      case 'ended': {
        this.#verdict = message.verdict;
        worker.send({ kind: 'verdict_noted' });
        const limit = clock.after(EXIT_LIMIT_MS, () => worker.kill());
        void worker.exited.then(() => limit.cancel());
        return;
      }
      case 'facts':
        return;
    }
    changed();
  }
}

function reported(verdict: Verdict): ProfileTryView['reported'] {
  const { status, exitCode, error, result, reason } = verdict;
  return {
    status,
    exitCode,
    error,
    result: result === null ? null : shownJson(JSON.stringify(result, null, 2)),
    why: reason === null ? null : { code: reason.code, ...reasonText(reason) },
  };
}
