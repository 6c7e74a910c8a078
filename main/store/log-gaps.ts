/**
 * Output that found no room on the disk: counted in memory while the disk is full, and later stored as one chunk
 * without a body, so that lines and batches keep their numbers. A host that dies meanwhile has lost nothing
 * more: the container's log is then read again from the cursor on disk.
 */
import type { JobId } from '../../runner-core/model/ids.ts';
import { CHUNK_CODEC, type LogChunk, type LogCursor } from '../../runner-core/model/log-chunk.ts';
import { freshChunks } from './fresh-chunks.ts';

/** What is missing at the end of one job's log. `chunks` and `lines` are totals of the job, this included. */
interface LogGap {
  readonly chunks: number;
  readonly lines: number;
  readonly firstLine: number;
  readonly missingBytes: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly cursor: LogCursor | null;
}

export class LogGaps {
  readonly #gaps = new Map<JobId, LogGap>();

  /** Counts chunks that follow the gap or, without one, what is stored. Throws LogGapError. */
  add(
    jobId: JobId,
    stored: { readonly chunks: number; readonly lines: number },
    chunks: readonly LogChunk[],
    cursor: LogCursor | null,
  ): void {
    const held = this.#gaps.get(jobId);
    const fresh = freshChunks(jobId, held ?? stored, chunks);
    const [first] = fresh;
    const last = fresh.at(-1);
    if (first === undefined || last === undefined) {
      if (held !== undefined && chunks.length === 0)
        this.#gaps.set(jobId, { ...held, cursor: cursor ?? held.cursor });
      return;
    }
    this.#gaps.set(jobId, {
      chunks: last.seq,
      lines: last.firstLine + last.lines,
      firstLine: held?.firstLine ?? first.firstLine,
      missingBytes: fresh.reduce((sum, { rawBytes }) => sum + rawBytes, held?.missingBytes ?? 0),
      firstAtMs: held?.firstAtMs ?? first.firstAtMs,
      lastAtMs: last.lastAtMs,
      cursor: cursor ?? held?.cursor ?? null,
    });
  }

  /** The gap as a chunk without a body, and where the log was read to. */
  chunk(jobId: JobId): { readonly chunk: LogChunk; readonly cursor: LogCursor | null } | undefined {
    const gap = this.#gaps.get(jobId);
    if (gap === undefined) return undefined;
    const lines = gap.lines - gap.firstLine;
    return {
      chunk: {
        seq: gap.chunks,
        firstLine: gap.firstLine,
        lines,
        records: 1,
        rawBytes: gap.missingBytes,
        firstAtMs: gap.firstAtMs,
        lastAtMs: gap.lastAtMs,
        codec: CHUNK_CODEC.plain,
        body: new Uint8Array(0),
        batches: lines === 0 ? [] : [lines],
      },
      cursor: gap.cursor,
    };
  }

  has(jobId: JobId): boolean {
    return this.#gaps.has(jobId);
  }

  forget(jobId: JobId): void {
    this.#gaps.delete(jobId);
  }
}

/** Told once in the place of all that is missing, on the page and to the service. */
export function gapText(lines: number, bytes: number): string {
  const what = lines === 1 ? '1 line' : `${lines} lines`;
  return `[runner] The disk of this machine was full: ${what} with ${bytes} bytes are missing here`;
}
