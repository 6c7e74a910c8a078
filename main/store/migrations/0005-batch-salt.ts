/**
 * Of the ids under which a job's output is told. Jobs of before have what those ids were made from until then, so
 * that what is on its way stays under the same ones.
 */
export const batchSalt = /* sql */ `
ALTER TABLE job ADD COLUMN batch_salt TEXT NOT NULL DEFAULT '';
UPDATE job SET batch_salt = CASE
  WHEN length(job_id) = 36 AND length(replace(job_id, '-', '')) = 32 AND job_id NOT GLOB '*[^0-9a-fA-F-]*'
  THEN substr(lower(replace(job_id, '-', '')), 1, 18)
  ELSE lower(hex(randomblob(9))) END;
`;
