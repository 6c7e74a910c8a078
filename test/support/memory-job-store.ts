/** A JobStore in memory, with the rules of the real one; outlives the host of a test, as a disk does. */
import { decodeWireLines } from '../../runner-core/log/chunk-codec.ts';
import { packedLines } from '../../runner-core/log/packed-lines.ts';
import { RunnerError, StoreUnavailableError } from '../../runner-core/model/errors.ts';
import type { JobId } from '../../runner-core/model/ids.ts';
import { nextJobState, type JobEvent, type JobState } from '../../runner-core/model/job-machine.ts';
import type { JobSpec } from '../../runner-core/model/job-spec.ts';
import { engineOf, type Leftover } from '../../runner-core/model/leftover.ts';
import type { LogChunk, LogCursor } from '../../runner-core/model/log-chunk.ts';
import type { Verdict } from '../../runner-core/model/outcome.ts';
import type { JobStore, OutgoingBatch, StoredJob } from '../../runner-core/ports.ts';
import { mergeMarkers, type JobMarker } from '../../runner-core/wire/markers.ts';
import { joinedFacts } from '../../runner-core/worker/joined-facts.ts';
import { newId } from '../../runner-core/system.ts';
import type { RunFacts } from '../../runner-core/worker/protocol.ts';

interface Row {
  readonly spec: JobSpec;
  readonly acceptedAtMs: number;
  readonly batchSalt: string;
  state: JobState;
  startedAtMs: number | null;
  endedAtMs: number | null;
  chunks: LogChunk[];
  cursor: LogCursor | null;
  batchesAcknowledged: number;
  markers: readonly JobMarker[];
  told: Verdict | null;
  facts: RunFacts | null;
  leftovers: Leftover[];
}

class MemoryStoreError extends RunnerError {
  readonly code: string;
  constructor(code: string, jobId: JobId) {
    super(`${code} ${jobId}`);
    this.code = code;
  }
}

export class MemoryJobStore implements JobStore {
  readonly #rows = new Map<JobId, Row>();
  /** Calls that throw StoreUnavailableError, as a full disk makes them. */
  readonly failing = new Set<keyof JobStore>();
  /** Why they fail; `SQLITE_BUSY` is a lock that passes. */
  systemCode = 'ENOSPC';
  /** Changing calls that succeeded, in order: `transition ended`, `appendLog`, … */
  readonly journal: string[] = [];

  accept(spec: JobSpec, atMs: number): void {
    this.#check('accept');
    if (this.#rows.has(spec.jobId)) throw new MemoryStoreError('job_exists', spec.jobId);
    this.#rows.set(spec.jobId, {
      spec,
      acceptedAtMs: atMs,
      batchSalt: newId().replaceAll('-', '').slice(0, 18),
      state: { kind: 'accepted', sinceMs: atMs },
      startedAtMs: null,
      endedAtMs: null,
      chunks: [],
      cursor: null,
      batchesAcknowledged: 0,
      markers: [],
      told: null,
      facts: null,
      leftovers: [],
    });
    this.journal.push('accept');
  }

  job(jobId: JobId): StoredJob | undefined {
    this.#check('job');
    const row = this.#rows.get(jobId);
    return row === undefined ? undefined : storedJob(row);
  }

  transition(jobId: JobId, event: JobEvent): JobState {
    this.#check('transition');
    const row = this.#row(jobId);
    row.state = nextJobState(row.state, event);
    if (event.kind === 'started') row.startedAtMs = event.atMs;
    if (event.kind === 'ended') {
      row.endedAtMs = event.atMs;
      row.told = event.verdict;
    }
    this.journal.push(`transition ${event.kind}`);
    return row.state;
  }

  appendLog(jobId: JobId, chunks: readonly LogChunk[], cursor: LogCursor | null): void {
    this.#check('appendLog');
    const row = this.#row(jobId);
    for (const chunk of chunks) {
      if (chunk.seq <= row.chunks.length) continue;
      if (chunk.seq !== row.chunks.length + 1) throw new MemoryStoreError('chunk_gap', jobId);
      row.chunks.push(chunk);
    }
    row.cursor = cursor ?? row.cursor;
    this.journal.push('appendLog');
  }

  rereadLog(): void {
    this.journal.push('rereadLog');
  }

  /** Unlike on disk, what a failing `act` did before stays; chunks that are stored are skipped the next time. */
  together(act: () => void): void {
    this.#check('together');
    act();
    this.journal.push('together');
  }

  outgoing(jobId: JobId, from: number, limit: number): readonly OutgoingBatch[] {
    this.#check('outgoing');
    const found: OutgoingBatch[] = [];
    let first = 0;
    for (const chunk of this.#rows.get(jobId)?.chunks ?? []) {
      const next = first + chunk.batches.length;
      if (next > from && found.length < limit) {
        const table = decodeWireLines(chunk.codec, chunk.body);
        const lines = packedLines(table, 0, table.starts.length).toArray();
        let at = 0;
        chunk.batches.forEach((count, offset) => {
          const index = first + offset;
          if (index >= from && found.length < limit)
            found.push({ index, lines: lines.slice(at, at + count) });
          at += count;
        });
      }
      first = next;
    }
    return found;
  }

  acknowledgeBatches(jobId: JobId, count: number): void {
    this.#check('acknowledgeBatches');
    const row = this.#row(jobId);
    const stored = row.chunks.reduce((sum, chunk) => sum + chunk.batches.length, 0);
    row.batchesAcknowledged = Math.max(row.batchesAcknowledged, Math.min(count, stored));
    this.journal.push('acknowledgeBatches');
  }

  noteMarkers(jobId: JobId, markers: readonly JobMarker[]): void {
    this.#check('noteMarkers');
    const row = this.#row(jobId);
    row.markers = mergeMarkers(row.markers, markers);
    this.journal.push('noteMarkers');
  }

  noteFacts(jobId: JobId, facts: RunFacts): void {
    this.#check('noteFacts');
    const row = this.#row(jobId);
    row.facts = joinedFacts(row.facts, facts);
  }

  noteEnding(jobId: JobId, verdict: Verdict, facts: RunFacts): void {
    this.#check('noteEnding');
    const row = this.#row(jobId);
    row.told = verdict;
    row.facts = joinedFacts(row.facts, facts);
    this.journal.push('noteEnding');
  }

  facts(jobId: JobId): RunFacts | null {
    return this.#row(jobId).facts;
  }

  noteLeftover(jobId: JobId, leftover: Leftover): void {
    this.#check('noteLeftover');
    const row = this.#row(jobId);
    if (!row.leftovers.some((other) => isSame(other, leftover))) row.leftovers.push(leftover);
    this.journal.push('noteLeftover');
  }

  forgetLeftover(jobId: JobId, leftover: Leftover): void {
    this.#check('forgetLeftover');
    const row = this.#row(jobId);
    row.leftovers = row.leftovers.filter((other) => !isSame(other, leftover));
    this.journal.push('forgetLeftover');
  }

  leftovers(jobId: JobId): readonly Leftover[] {
    this.#check('leftovers');
    return [...(this.#rows.get(jobId)?.leftovers ?? [])];
  }

  unsettled(): readonly StoredJob[] {
    this.#check('unsettled');
    return [...this.#rows.values()].map(storedJob).filter((job) => job.state.kind !== 'settled');
  }

  #check(act: keyof JobStore): void {
    if (this.failing.has(act))
      throw new StoreUnavailableError({ act, systemCode: this.systemCode });
  }

  #row(jobId: JobId): Row {
    const row = this.#rows.get(jobId);
    if (row === undefined) throw new MemoryStoreError('unknown_job', jobId);
    return row;
  }
}

function storedJob(row: Row): StoredJob {
  const sum = (of: (chunk: LogChunk) => number): number =>
    row.chunks.reduce((total, chunk) => total + of(chunk), 0);
  const batchLines = row.chunks.flatMap((chunk) => chunk.batches);
  return {
    spec: row.spec,
    state: row.state,
    acceptedAtMs: row.acceptedAtMs,
    batchSalt: row.batchSalt,
    startedAtMs: row.startedAtMs,
    endedAtMs: row.endedAtMs,
    lines: sum((chunk) => chunk.lines),
    chunks: row.chunks.length,
    bytes: sum((chunk) => chunk.rawBytes),
    batches: batchLines.length,
    batchesAcknowledged: row.batchesAcknowledged,
    linesAcknowledged: batchLines
      .slice(0, row.batchesAcknowledged)
      .reduce((total, lines) => total + lines, 0),
    cursor: row.cursor,
    markers: row.markers,
    told: row.told,
  };
}

function isSame(a: Leftover, b: Leftover): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    ('id' in a ? a.id : '') === ('id' in b ? b.id : '') &&
    engineOf(a)?.id === engineOf(b)?.id &&
    engineOf(a)?.at === engineOf(b)?.at
  );
}
