/**
 * What the list of jobs is filtered and counted by, in rows of some sixty bytes: a list of 100,000 is paged and
 * searched without touching specs and verdicts. Triggers keep it, so it cannot differ from the jobs.
 */
const WORDS = (row: string): string => `
  lower(concat_ws(char(10),
    json_extract(${row}.spec, '$.agentType'),
    json_extract(${row}.spec, '$.repository'),
    json_extract(${row}.spec, '$.image'),
    json_extract(${row}.spec, '$.flowId'),
    json_extract(${row}.spec, '$.flowName')))`;

const GROUP = (row: string): string => `json_extract(${row}.spec, '$.flowId'), ${WORDS(row)}`;

const LISTED = (row: string): string => `
  ${row}.n, coalesce(${row}.outcome, ${row}.state), lower(${row}.job_id),
  (SELECT id FROM job_group WHERE words = ${WORDS(row)})`;

export const jobListing = /* sql */ `
-- One row for all jobs that ask for the same.
CREATE TABLE job_group (
  id    INTEGER PRIMARY KEY,
  flow  TEXT,
  words TEXT NOT NULL UNIQUE  -- agent, repository, image, flow and its name; ASCII letters in lower case
) STRICT;
CREATE INDEX job_group_by_flow ON job_group (flow);

CREATE TABLE job_listing (
  job    INTEGER PRIMARY KEY REFERENCES job (n) ON DELETE CASCADE,
  shown  TEXT NOT NULL,  -- state while held, outcome afterwards
  job_id TEXT NOT NULL,  -- in lower case
  group_id INTEGER NOT NULL REFERENCES job_group (id)
) STRICT;
INSERT OR IGNORE INTO job_group (flow, words) SELECT ${GROUP('job')} FROM job;
INSERT INTO job_listing (job, shown, job_id, group_id) SELECT ${LISTED('job')} FROM job;
CREATE INDEX job_listing_by_shown ON job_listing (shown, job);
CREATE INDEX job_listing_by_group ON job_listing (group_id, job);

CREATE TRIGGER job_listed AFTER INSERT ON job BEGIN
  INSERT OR IGNORE INTO job_group (flow, words) VALUES (${GROUP('new')});
  INSERT INTO job_listing (job, shown, job_id, group_id) VALUES (${LISTED('new')});
END;
CREATE TRIGGER job_listed_anew AFTER UPDATE OF state, outcome ON job
WHEN coalesce(new.outcome, new.state) <> coalesce(old.outcome, old.state) BEGIN
  UPDATE job_listing SET shown = coalesce(new.outcome, new.state) WHERE job = new.n;
END;

CREATE INDEX job_by_acceptance ON job (accepted_at_ms, outcome);
CREATE INDEX job_wanting_permission ON job (n)
  WHERE json_extract(verdict, '$.reason.code') = 'permission_needed';
`;
