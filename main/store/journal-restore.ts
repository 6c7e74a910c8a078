/** Gives a database that was begun anew the unsettled jobs of the one before, from their journals. */
import * as z from 'zod';
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import { leftoverSchema } from '../../runner-core/model/leftover.ts';
import type { Log } from '../../runner-core/ports.ts';
import type { HostDatabase } from './database.ts';
import { orUnavailable, StoredJobDamagedError } from './errors.ts';
import { storedJob } from './job-rows.ts';
import { JOURNALLED_COLUMNS } from './job-journal.ts';
import { JobTable } from './job-table.ts';
import type { LogFiles } from './log-files.ts';
import { LogIndex, type ChunkRow, type LogTally } from './log-index.ts';
import { countOf } from './log-repair.ts';
import { batchesSchema, readStored } from './stored-values.ts';

/** Above this a journal is not read: the start would stand still. */
const MOST_BYTES = 128 * 2 ** 20;
/**
 * Numbers of batches that are passed over. A power cut may take the end of a journal, and the service drops other
 * lines that come under a known id: more than this is never sent between two writings of the system's to the disk.
 */
export const BATCHES_PASSED_OVER = 2 ** 20;

const jobSchema = z.object({
  spec: z.string(),
  state: z.string(),
  since_ms: z.number(),
  stop_cause: z.string().nullable(),
  outcome: z.string().nullable(),
  verdict: z.string().nullable(),
  facts: z.string().nullable(),
  markers: z.string(),
  accepted_at_ms: z.number(),
  started_at_ms: z.number().nullable(),
  ended_at_ms: z.number().nullable(),
  settled_at_ms: z.number().nullable(),
  pinned: z.number(),
  batch_salt: z.string(),
});
const chunkSchema: z.ZodType<ChunkRow> = z.object({
  seq: z.number(),
  first_line: z.number(),
  lines: z.number(),
  first_record: z.number(),
  records: z.number(),
  first_byte: z.number(),
  raw_bytes: z.number(),
  file_offset: z.number(),
  length: z.number(),
  crc: z.number(),
  codec: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  first_at_ms: z.number(),
  last_at_ms: z.number(),
  first_batch: z.number(),
  batches: z.string(),
  unsent_lines: z.number(),
  cursor: z.string().nullable(),
});
const lineSchema = z.union([
  z.object({ version: z.number() }),
  z.object({ chunks: z.array(chunkSchema) }),
  z.object({ acknowledged: z.object({ batches: z.number(), lines: z.number() }) }),
  z.object({
    job: jobSchema,
    events: z.array(
      z.object({ kind: z.string(), atMs: z.number(), detail: z.string().nullable() }),
    ),
    leftovers: z.array(z.string()),
  }),
]);
type Line = z.infer<typeof lineSchema>;

/** What a journal says, its lines taken together. */
interface Journalled {
  readonly jobId: JobId;
  readonly job: Extract<Line, { job: unknown }>;
  readonly chunks: readonly ChunkRow[];
  readonly acknowledged: { readonly batches: number; readonly lines: number };
}

/**
 * To be called before anything else is done with the database. A journal of a job it knows stays, or goes with a
 * settled one; one that cannot be used goes as well.
 *
 * @throws StoreUnavailableError
 */
export function restoreJobs(database: HostDatabase, journals: LogFiles, log: Log): void {
  const jobs = new JobTable(database);
  const version = database.pragma('user_version', { simple: true });
  const found: Journalled[] = [];
  for (const jobId of journalled(journals, log)) {
    const known = orUnavailable('read its data', () => jobs.row(jobId));
    if (known !== undefined && known.state !== 'settled') continue;
    try {
      const journal = known === undefined ? readJournal(journals, jobId, version) : undefined;
      if (journal === undefined) journals.remove(jobId);
      else found.push(journal);
    } catch (error) {
      log.warn('journal of a job not read', { jobId, error });
    }
  }
  found.sort((a, b) => a.job.job.accepted_at_ms - b.job.job.accepted_at_ms);
  for (const journal of found) {
    const { jobId } = journal;
    try {
      database.transaction(() => putBack(database, jobs, journal)).immediate();
      log.warn('job restored from its journal', { jobId, state: journal.job.job.state });
    } catch (error) {
      log.error('job not restored', { jobId, error });
      if (error instanceof StoredJobDamagedError) removeQuietly(journals, jobId);
    }
  }
}

/** What stays is looked at again at the next start. */
function removeQuietly(journals: LogFiles, jobId: JobId): void {
  try {
    journals.remove(jobId);
  } catch {
    return;
  }
}

/** None where the folder cannot be read: that must not keep the host from starting. */
function journalled(journals: LogFiles, log: Log): readonly JobId[] {
  try {
    return journals.namesNow().flatMap((name) => toJobId(name) ?? []);
  } catch (error) {
    log.warn('journals not read', { error });
    return [];
  }
}

/** Undefined where it says nothing that can be used. */
function readJournal(journals: LogFiles, jobId: JobId, version: unknown): Journalled | undefined {
  const size = journals.size(jobId);
  if (size > MOST_BYTES) return undefined;
  const [first, ...rest] = wholeLines(Buffer.from(journals.read(jobId, 0, size)).toString());
  if (first === undefined || !('version' in first) || first.version !== version) return undefined;
  let job: Journalled['job'] | undefined;
  let chunks: ChunkRow[] = [];
  let acknowledged = { batches: 0, lines: 0 };
  for (const line of rest) {
    if ('job' in line) job = line;
    if ('acknowledged' in line) ({ acknowledged } = line);
    if ('chunks' in line) {
      const joined = joinedChunks(chunks, line.chunks);
      if (joined === undefined) break;
      chunks = joined;
    }
  }
  return job === undefined ? undefined : { jobId, job, chunks, acknowledged };
}

/** Up to the first that is cut or does not read. */
function wholeLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    try {
      lines.push(lineSchema.parse(JSON.parse(line)));
    } catch {
      break;
    }
  }
  return lines;
}

/** Undefined where something between them is missing. */
function joinedChunks(chunks: ChunkRow[], more: readonly ChunkRow[]): ChunkRow[] | undefined {
  for (const chunk of more) {
    const last = chunks.at(-1);
    const follows =
      chunk.first_line === (last === undefined ? 0 : last.first_line + last.lines) &&
      chunk.first_record === (last === undefined ? 0 : last.first_record + last.records) &&
      chunk.file_offset === (last === undefined ? 0 : last.file_offset + last.length);
    if (!follows) return undefined;
    chunks.push(chunk);
  }
  return chunks;
}

/** Throws what the database throws, and StoredJobDamagedError. */
function putBack(database: HostDatabase, jobs: JobTable, journal: Journalled): void {
  const { jobId, chunks, acknowledged } = journal;
  const { job, events, leftovers } = journal.job;
  const columns = [...JOURNALLED_COLUMNS, 'facts'];
  const insert = database.prepare<[Record<string, unknown>]>(
    `INSERT INTO job (job_id, ${columns.join(', ')})
     VALUES (@job_id, ${columns.map((name) => `@${name}`).join(', ')})`,
  );
  const n = Number(insert.run({ ...job, job_id: jobId }).lastInsertRowid);
  for (const event of events) jobs.addEvent(n, event);
  for (const body of leftovers) {
    readStored(leftoverSchema, body, { jobId, field: 'leftover' });
    jobs.addLeftover(n, body);
  }
  for (const { seq, batches } of chunks)
    readStored(batchesSchema, batches, { jobId, field: `chunk ${seq}: batches` });
  new LogIndex(database).restore(n, chunks, tallyOf(chunks, acknowledged));
  const row = jobs.row(jobId);
  if (row === undefined) throw new StoredJobDamagedError({ jobId, field: 'job' });
  storedJob(row);
}

function tallyOf(chunks: readonly ChunkRow[], acknowledged: Journalled['acknowledged']): LogTally {
  const last = chunks.at(-1);
  const known = last === undefined ? 0 : last.first_batch + countOf(last.batches);
  const batches = known + BATCHES_PASSED_OVER;
  return {
    chunks: last?.seq ?? 0,
    lines: last === undefined ? 0 : last.first_line + last.lines,
    records: last === undefined ? 0 : last.first_record + last.records,
    bytes: last === undefined ? 0 : last.first_byte + last.raw_bytes,
    file_bytes: last === undefined ? 0 : last.file_offset + last.length,
    batches,
    batches_acked: acknowledged.batches >= known ? batches : acknowledged.batches,
    lines_acked: acknowledged.lines,
    cursor: last?.cursor ?? 'null',
  };
}
