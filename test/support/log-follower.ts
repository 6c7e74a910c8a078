/**
 * A job's log as the host keeps it, and workers that follow a container into it and may be killed: a message
 * is stored whole or not at all, and what a killed worker sent afterwards is lost.
 */
import { decodeChunk } from '../../runner-core/log/chunk-codec.ts';
import type { LogSource } from '../../runner-core/docker/container-log.ts';
import {
  RECORD_FLAG,
  type LogChunk,
  type LogCursor,
  type LogRecord,
} from '../../runner-core/model/log-chunk.ts';
import type { Clock } from '../../runner-core/ports.ts';
import type { JobMarker } from '../../runner-core/wire/markers.ts';
import {
  LogPipeline,
  type LogPipelineDeps,
  type PipelineEnd,
} from '../../runner-core/worker/log-pipeline.ts';
import { SecretMask } from '../../runner-core/worker/secret-mask.ts';
import { FakeClock } from './fake-clock.ts';

export interface FollowerOptions {
  readonly source: LogSource;
  readonly exited: Promise<unknown>;
  readonly clock?: Clock;
  readonly containerId?: string;
  readonly mask?: SecretMask;
  readonly maxLogBytes?: number;
  /** False: chunks stay unanswered until `storeAll`. */
  readonly answers?: boolean;
}

export class LogFollower {
  readonly chunks: LogChunk[] = [];
  readonly markers: JobMarker[] = [];
  messages = 0;
  cursor: LogCursor | null = null;
  readonly #options: FollowerOptions;
  #pipeline: LogPipeline | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** One worker, from the stored cursor to the end. */
  run(signal: AbortSignal = new AbortController().signal): Promise<PipelineEnd> {
    return this.#work(signal, () => undefined);
  }

  /** One worker, killed once so many messages of it are stored. Resolves with its end if it got there first. */
  async runUntilKilled(messages: number): Promise<PipelineEnd | 'killed'> {
    const kill = new AbortController();
    const end = this.#work(kill.signal, (stored) => {
      if (stored >= messages) kill.abort(new Error('killed'));
    });
    try {
      const ended = await end;
      return kill.signal.aborted ? 'killed' : ended;
    } catch (error) {
      if (kill.signal.aborted) return 'killed';
      throw error;
    }
  }

  /** Answers for every chunk sent so far. */
  storeAll(): void {
    this.storeThrough(this.chunks.at(-1)?.seq ?? 0);
  }

  /** Answers for the chunks up to this one. */
  storeThrough(seq: number): void {
    this.#pipeline?.logStored(seq);
  }

  records(): LogRecord[] {
    return this.chunks.flatMap((chunk) => decodeChunk(chunk).records);
  }

  /** Whole lines of one source, put together from their records. */
  lines(source: 'stdout' | 'stderr'): string[] {
    const wanted = source === 'stderr' ? RECORD_FLAG.stderr : 0;
    const lines: string[] = [];
    for (const { flags, text } of this.records()) {
      if ((flags & RECORD_FLAG.stderr) !== wanted) continue;
      if ((flags & RECORD_FLAG.continuation) === 0) lines.push(text);
      else lines.push((lines.pop() ?? '') + text);
    }
    return lines;
  }

  async #work(signal: AbortSignal, stored: (messages: number) => void): Promise<PipelineEnd> {
    let messages = 0;
    const emit: LogPipelineDeps['emit'] = (message) => {
      if (signal.aborted) return;
      this.chunks.push(...message.chunks);
      this.markers.push(...message.markers);
      this.cursor = message.cursor ?? this.cursor;
      this.messages += 1;
      messages += 1;
      if (this.#options.answers !== false) this.storeAll();
      stored(messages);
    };
    const last = this.chunks.at(-1);
    this.#pipeline = new LogPipeline({
      clock: this.#options.clock ?? new FakeClock(),
      source: this.#options.source,
      containerId: this.#options.containerId ?? 'container',
      cursor: this.cursor,
      nextSeq: (last?.seq ?? 0) + 1,
      nextLine: last === undefined ? 0 : last.firstLine + last.lines,
      mask: this.#options.mask ?? new SecretMask(),
      maxLogBytes: this.#options.maxLogBytes ?? Number.MAX_SAFE_INTEGER,
      emit,
    });
    return this.#pipeline.run(this.#options.exited, signal);
  }
}
