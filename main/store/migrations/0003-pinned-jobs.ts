/** Jobs the owner keeps: neither their log nor their row is removed to save room or for their age. */
export const pinnedJobs = /* sql */ `
ALTER TABLE job ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX job_removable ON job (settled_at_ms) WHERE settled_at_ms IS NOT NULL AND pinned = 0;
`;
