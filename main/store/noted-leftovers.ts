/** What is still noted of jobs that have ended: their engine was away, or the owner keeps it. Reads only. */
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import { leftoverSchema, type Leftover } from '../../runner-core/model/leftover.ts';
import type { HostDatabase } from './database.ts';
import { orUnavailable } from './errors.ts';

export interface NotedLeftover {
  readonly jobId: JobId;
  readonly leftover: Leftover;
}

/** Entries that cannot be read are left out. The result throws StoreUnavailableError where the disk refuses. */
export function notedLeftovers(database: HostDatabase): () => readonly NotedLeftover[] {
  const statement = database.prepare<[], { job_id: string; body: string }>(
    `SELECT job_id, body FROM leftover JOIN job ON job.n = leftover.job
     WHERE job.state IN ('reporting', 'settled') ORDER BY leftover.rowid`,
  );
  return () =>
    orUnavailable('read its data', () => statement.all()).flatMap(({ job_id, body }) => {
      const jobId = toJobId(job_id);
      const leftover = leftoverSchema.safeParse(JSON.parse(body)).data;
      return jobId === undefined || leftover === undefined ? [] : [{ jobId, leftover }];
    });
}
