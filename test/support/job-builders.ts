/** Specs, verdicts and chunks as the engine makes them; each test changes what it is about. */
import { encodeChunk } from '../../runner-core/log/chunk-codec.ts';
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import type { DockerLaunchSpec } from '../../runner-core/model/job-spec.ts';
import {
  BATCH_MAX_LINES,
  RECORD_FLAG,
  START_OF_SOURCE,
  type LogChunk,
  type LogCursor,
  type LogRecord,
} from '../../runner-core/model/log-chunk.ts';
import type { Verdict } from '../../runner-core/model/outcome.ts';

export function aJobId(text = '5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c01'): JobId {
  const jobId = toJobId(text);
  if (jobId === undefined) throw new RangeError(`not a job id: ${text}`);
  return jobId;
}

export function aSpec(changes: Partial<DockerLaunchSpec> = {}): DockerLaunchSpec {
  return {
    kind: 'docker_launch',
    jobId: aJobId(),
    flowId: '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
    flowName: null,
    repository: 'git.example.test/nettlebed/ledger',
    agentType: 'codex',
    modelIdentifier: 'gpt-5.4',
    report: { kind: 'docker_v1' },
    image: 'debian:bookworm',
    options: {
      mountDockerSocket: false,
      persistWorkspace: true,
      network: null,
      extraMounts: ['/srv/cache:/cache:ro'],
      preserveEntrypoint: false,
    },
    resumeFrom: null,
    agentConfig: { image: 'debian:bookworm', nested: { list: [1, 'two', null, true] } },
    ...changes,
  };
}

export function aVerdict(changes: Partial<Verdict> = {}): Verdict {
  return {
    outcome: 'failed',
    status: 'FAILED',
    exitCode: 3,
    error: 'exit code 3',
    result: { summary: 'tried', steps: [1, 2] },
    evidenceUpload: 'absent',
    reason: { code: 'exit_nonzero', facts: { exitCode: '3' } },
    ...changes,
  };
}

export function aCursor(taken: number): LogCursor {
  const stdout = { newest: `2026-01-01T00:00:00.${taken}Z`, takenAtNewest: 1, taken, open: null };
  return { stdout, stderr: START_OF_SOURCE };
}

/** Numbers chunks and lines as a worker does. */
export class ChunkMaker {
  #seq: number;
  #line: number;

  constructor(from: { readonly chunks: number; readonly lines: number } = { chunks: 0, lines: 0 }) {
    this.#seq = from.chunks;
    this.#line = from.lines;
  }

  /** A chunk of `lines` lines 'line <number>'. */
  next(lines: number): LogChunk {
    const first = this.#line;
    return this.of(
      Array.from({ length: lines }, (_, place) => ({
        atMs: 1_000 + first + place,
        flags: 0,
        text: `line ${first + place}`,
      })),
    );
  }

  of(records: readonly LogRecord[]): LogChunk {
    const lines = records.filter(
      (record) => (record.flags & RECORD_FLAG.continuation) === 0,
    ).length;
    const batches: number[] = [];
    for (let left = lines; left > 0; left -= BATCH_MAX_LINES)
      batches.push(Math.min(left, BATCH_MAX_LINES));
    const firstLine = this.#line;
    this.#line += lines;
    this.#seq += 1;
    return {
      seq: this.#seq,
      firstLine,
      lines,
      records: records.length,
      rawBytes: records.reduce((sum, record) => sum + Buffer.byteLength(record.text), 0),
      firstAtMs: records[0]?.atMs ?? 0,
      lastAtMs: records.at(-1)?.atMs ?? 0,
      batches,
      ...encodeChunk(records),
    };
  }
}

/** 'line <from>' to 'line <to - 1>'. */
export function numberedLines(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, place) => `line ${from + place}`);
}
