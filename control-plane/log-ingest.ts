/**
 * Stores the `logs` frames of one group commit. Owns their checks, their numbering and their replies.
 * The one hot path of the plane: checked by hand, one row a batch, counters written once a group.
 */
import type { Json, JsonObject } from '../runner-core/model/json.ts';
import { INVALID_LOG_BATCH } from '../runner-core/wire/errors.ts';
import {
  WIRE_BATCH_MAX_LINES,
  WIRE_FRAME_MAX_BYTES,
  WIRE_LINE_MAX_BYTES,
  WIRE_UNBATCHED_MAX_LINES,
} from '../runner-core/wire/log-batch.ts';
import { newId } from '../runner-core/system.ts';
import { MARKER_HINT } from '../runner-core/wire/markers.ts';
import { parseUuid } from './identifiers.ts';
import { applyMarkers, markersIn } from './log-markers.ts';
import type { PlaneParts } from './plane-parts.ts';
import type { LogTarget } from './store/assignment-table.ts';
import { LAYOUT, type BatchBody } from './store/log-table.ts';
import { isClean, storedText } from './stored-text.ts';

/** No character takes more bytes of UTF-8 than this for each UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

interface LineCount {
  next: number;
  added: number;
}

export class LogGroup {
  readonly #parts: PlaneParts;
  readonly #counts = new Map<number, LineCount>();
  /** Leases looked up already, by runner and execution as the frames name them. */
  readonly #targets = new Map<string, LogTarget | undefined>();

  constructor(parts: PlaneParts) {
    this.#parts = parts;
  }

  /** Stores the lines and returns the reply. A throw means: end the connection, no reply. */
  ingest(runnerId: string, frame: JsonObject): JsonObject {
    const executionId = parseUuid(frame['execution_id']);
    const target = this.#target(runnerId, executionId);
    // Lines of a lease that is gone are dropped and still acknowledged.
    if (executionId === undefined || target === undefined) return accepted(frame);
    const lines = readLines(frame['lines']);
    const batchId = readBatchId(frame['batch_id']);
    if (lines === undefined || batchId === undefined || !fits(lines, batchId)) {
      const batch_id = frame['batch_id'] ?? null;
      return { type: 'error', error: INVALID_LOG_BATCH, batch_id };
    }
    if (lines.length === 0) return accepted(frame);
    const text = lines.join('\n');
    this.#store(target, batchId ?? newId(), layOut(lines, text));
    if (!text.includes(MARKER_HINT)) return accepted(frame);
    // Also for a batch sent again: its first reading may have failed after it was stored.
    applyMarkers(this.#parts, executionId, markersIn(lines));
    return accepted(frame);
  }

  /** Leases may have changed. */
  forgetLeases(): void {
    this.#targets.clear();
  }

  /** Writes the line counters; the last act of the group's transaction. */
  finish(): void {
    for (const [no, { added }] of this.#counts) {
      if (added > 0) this.#parts.store.executions.addLines(no, added);
    }
    this.#counts.clear();
  }

  #target(runnerId: string, executionId: string | undefined): LogTarget | undefined {
    if (executionId === undefined) return undefined;
    const key = runnerId + executionId;
    if (this.#targets.has(key)) return this.#targets.get(key);
    const target = this.#parts.store.assignments.logTarget(executionId, runnerId);
    this.#targets.set(key, target);
    return target;
  }

  #store(target: LogTarget, batchId: string, batch: BatchBody): void {
    let count = this.#counts.get(target.no);
    if (count === undefined) {
      count = { next: target.lines_stored + 1, added: 0 };
      this.#counts.set(target.no, count);
    }
    const isNew = this.#parts.store.logs.insert({
      executionNo: target.no,
      batchId,
      firstLine: count.next,
      storedAtMs: this.#parts.clock.nowMs(),
      ...batch,
    });
    if (!isNew) return;
    count.next += batch.lines;
    count.added += batch.lines;
  }
}

function accepted(frame: JsonObject): JsonObject {
  const batchId = frame['batch_id'] ?? null;
  const isBatch = batchId !== null && batchId !== '';
  return {
    type: isBatch ? 'logs_ack' : 'ack',
    execution_id: frame['execution_id'] ?? null,
    batch_id: batchId,
  };
}

/** A missing, null or empty value counts as no lines. Undefined: a violation. */
function readLines(value: Json | undefined): readonly string[] | undefined {
  if (!value) return [];
  if (!Array.isArray(value)) return undefined;
  const items = value as readonly Json[];
  return items.every((item) => typeof item === 'string') ? items : undefined;
}

/** Null: none was given. Undefined: a violation. */
function readBatchId(value: Json | undefined): string | null | undefined {
  if (value === undefined || value === null || value === '') return null;
  return parseUuid(value);
}

function fits(lines: readonly string[], batchId: string | null): boolean {
  if (lines.length > (batchId === null ? WIRE_UNBATCHED_MAX_LINES : WIRE_BATCH_MAX_LINES)) {
    return false;
  }
  let units = 0;
  let longest = 0;
  for (const line of lines) {
    units += line.length;
    if (line.length > longest) longest = line.length;
  }
  // Counting bytes is needed only where the number of characters does not settle it.
  if (
    longest * MAX_BYTES_PER_UNIT <= WIRE_LINE_MAX_BYTES &&
    units * MAX_BYTES_PER_UNIT <= WIRE_FRAME_MAX_BYTES
  ) {
    return true;
  }
  let total = 0;
  for (const line of lines) {
    const bytes = Buffer.byteLength(line);
    total += bytes;
    if (bytes > WIRE_LINE_MAX_BYTES) return false;
  }
  return total <= WIRE_FRAME_MAX_BYTES;
}

/** `text` is the lines joined by line feeds; they are looked at one by one only when it calls for it. */
function layOut(lines: readonly string[], text: string): BatchBody {
  if (!isClean(text)) {
    const clean = lines.map(storedText);
    return { lines: lines.length, layout: LAYOUT.json, body: JSON.stringify(clean) };
  }
  const isPlain = countBreaks(text) === lines.length - 1;
  return {
    lines: lines.length,
    layout: isPlain ? LAYOUT.joined : LAYOUT.json,
    body: isPlain ? text : JSON.stringify(lines),
  };
}

function countBreaks(text: string): number {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) breaks++;
  return breaks;
}
