/**
 * The directories that local commands of this host were started in, each with its job: only these are ever removed. A
 * row outlives its job, which may be forgotten before its directory is. Noted where the command got its process, since
 * only then is the directory sure to have been made for it.
 */
const NOTE = (row: string): string => `
  INSERT OR IGNORE INTO host_directory (path, job_id)
  SELECT json_extract(${row}.body, '$.directory'), job.job_id`;
const STARTED = (row: string): string =>
  `json_extract(${row}.body, '$.kind') = 'process' AND json_extract(${row}.body, '$.pid') IS NOT NULL`;

export const hostDirectories = /* sql */ `
CREATE TABLE host_directory (
  path        TEXT PRIMARY KEY,  -- real, as its worker made it
  job_id      TEXT NOT NULL,
  ended_at_ms REAL               -- null while the job itself is still known
) STRICT, WITHOUT ROWID;
CREATE INDEX host_directory_by_job ON host_directory (job_id);

${NOTE('leftover')} FROM leftover JOIN job ON job.n = leftover.job WHERE ${STARTED('leftover')};

CREATE TRIGGER host_directory_noted AFTER INSERT ON leftover WHEN ${STARTED('new')} BEGIN
  ${NOTE('new')} FROM job WHERE job.n = new.job;
END;
CREATE TRIGGER host_directory_outlives BEFORE DELETE ON job BEGIN
  UPDATE host_directory SET ended_at_ms = coalesce(old.ended_at_ms, old.since_ms)
  WHERE job_id = old.job_id;
END;
`;
