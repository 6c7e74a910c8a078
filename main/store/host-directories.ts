/** Directories that jobs of this host were carried out in, and which of them may go. */
import type { HostDatabase } from './database.ts';
import { orUnavailable } from './errors.ts';

export interface HostDirectory {
  /** Real path, as its worker made it. */
  readonly path: string;
  readonly jobId: string;
  readonly endedAtMs: number;
}

/** Both throw StoreUnavailableError where the disk refuses. */
export interface HostDirectories {
  /** Those of jobs that are settled or forgotten, not pinned, and with nothing of theirs left to end. */
  removable(): readonly HostDirectory[];
  /** It is there no more. */
  forget(path: string): void;
}

export function hostDirectories(database: HostDatabase): HostDirectories {
  const removable = database.prepare<[], HostDirectory>(
    `SELECT path, job_id AS jobId, coalesce(job.ended_at_ms, job.since_ms, host_directory.ended_at_ms) AS endedAtMs
     FROM host_directory LEFT JOIN job USING (job_id)
     WHERE (job.n IS NULL AND host_directory.ended_at_ms IS NOT NULL)
        OR (job.state = 'settled' AND job.pinned = 0
            AND NOT EXISTS (SELECT 1 FROM leftover WHERE leftover.job = job.n))
     ORDER BY endedAtMs`,
  );
  const forget = database.prepare<[string]>('DELETE FROM host_directory WHERE path = ?');
  return {
    removable: () => orUnavailable('read its data', () => removable.all()),
    forget: (path) => void orUnavailable('write to its database', () => forget.run(path)),
  };
}
