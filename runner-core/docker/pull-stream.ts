/** Reads the JSON lines of a pull: progress over all layers, and the failure the engine reports inside a 200. */
import type { Readable } from 'node:stream';
import { EngineError, type PullProgress } from './docker-engine.ts';

/** A line longer than this is no progress record; the engine's are some hundred bytes. */
const MAX_LINE = 1_048_576;

interface PullRecord {
  readonly id?: unknown;
  readonly status?: unknown;
  readonly error?: unknown;
  readonly errorDetail?: { readonly message?: unknown } | null;
  readonly progressDetail?: { readonly current?: unknown; readonly total?: unknown } | null;
}

/** Resolves at the end of a good pull; throws EngineError with the engine's text for a failed one. */
export async function readPullStream(
  stream: Readable,
  progress: (progress: PullProgress) => void,
): Promise<void> {
  const layers = new Map<string, { done: number; total: number }>();
  let open = '';
  stream.setEncoding('utf8');
  for await (const piece of stream as AsyncIterable<string>) {
    const lines = (open + piece).split('\n');
    open = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) if (takeRecord(line, layers)) progress(sum(layers));
  }
  takeRecord(open, layers);
}

/** True where the line moved the sums. */
function takeRecord(line: string, layers: Map<string, { done: number; total: number }>): boolean {
  if (line.trim() === '') return false;
  let record: PullRecord;
  try {
    record = JSON.parse(line) as PullRecord;
  } catch {
    return false;
  }
  const failure = record.errorDetail?.message ?? record.error;
  if (typeof failure === 'string') throw pullFailure(failure);
  if (typeof record.id !== 'string') return false;
  const { current, total } = record.progressDetail ?? {};
  const layer = layers.get(record.id) ?? { done: 0, total: 0 };
  layers.set(record.id, layer);
  // "Extracting" counts the same bytes a second time: only the download moves the sums.
  if (record.status === 'Downloading' && typeof current === 'number') {
    layer.done = current;
    if (typeof total === 'number' && total > 0) layer.total = total;
    return true;
  }
  if (record.status === 'Download complete' || record.status === 'Pull complete') {
    layer.done = layer.total;
    return true;
  }
  return false;
}

function sum(layers: Map<string, { done: number; total: number }>): PullProgress {
  let doneBytes = 0;
  let totalBytes = 0;
  for (const layer of layers.values()) {
    doneBytes += layer.done;
    totalBytes += layer.total;
  }
  return { doneBytes, totalBytes };
}

const MISSING =
  /manifest unknown|not found|does not exist|access denied|repository name not known|requested access to the resource is denied/i;

/** A failed pull, `not_found` where no such image can be had, else `refused`. */
export function pullFailure(message: string, statusCode: number | null = null): EngineError {
  const kind = statusCode === 404 || MISSING.test(message) ? 'not_found' : 'refused';
  return new EngineError({ statusCode, kind }, message);
}
