/** The first shape of host.db. Never edited once released. */
export const initial = /* sql */ `
CREATE TABLE job (
  n              INTEGER PRIMARY KEY,  -- order of acceptance
  job_id         TEXT NOT NULL UNIQUE,
  spec           TEXT NOT NULL,
  state          TEXT NOT NULL
    CHECK (state IN ('accepted', 'starting', 'running', 'stopping', 'reporting', 'settled')),
  since_ms       REAL NOT NULL,
  stop_cause     TEXT,
  outcome        TEXT,
  verdict        TEXT,
  facts          TEXT,
  markers        TEXT NOT NULL DEFAULT '[]',
  accepted_at_ms REAL NOT NULL,
  started_at_ms  REAL,
  ended_at_ms    REAL,
  settled_at_ms  REAL
) STRICT;
CREATE INDEX job_unsettled ON job (n) WHERE state <> 'settled';
CREATE INDEX job_by_state ON job (state);
CREATE INDEX job_by_outcome ON job (outcome);
CREATE INDEX job_by_ending ON job (state, outcome);
CREATE INDEX job_by_settling ON job (settled_at_ms) WHERE settled_at_ms IS NOT NULL;

CREATE TABLE job_event (
  job    INTEGER NOT NULL REFERENCES job (n) ON DELETE CASCADE,
  at_ms  REAL NOT NULL,
  kind   TEXT NOT NULL,
  detail TEXT
) STRICT;
CREATE INDEX job_event_by_job ON job_event (job);

-- Apart from job: it changes with every chunk, and a row is rewritten whole.
CREATE TABLE job_log (
  job                INTEGER PRIMARY KEY REFERENCES job (n) ON DELETE CASCADE,
  chunks             INTEGER NOT NULL DEFAULT 0,
  lines              INTEGER NOT NULL DEFAULT 0,
  records            INTEGER NOT NULL DEFAULT 0,
  bytes              INTEGER NOT NULL DEFAULT 0,  -- of text
  file_bytes         INTEGER NOT NULL DEFAULT 0,  -- of the log file that are indexed
  batches            INTEGER NOT NULL DEFAULT 0,
  batches_acked      INTEGER NOT NULL DEFAULT 0,
  lines_acked        INTEGER NOT NULL DEFAULT 0,
  cursor             TEXT NOT NULL DEFAULT 'null',
  removed_at_ms      REAL
) STRICT;

CREATE TABLE log_chunk (
  job           INTEGER NOT NULL REFERENCES job (n) ON DELETE CASCADE,
  seq           INTEGER NOT NULL,
  first_line    INTEGER NOT NULL,
  lines         INTEGER NOT NULL,
  first_record  INTEGER NOT NULL,
  records       INTEGER NOT NULL,
  first_byte    INTEGER NOT NULL,                 -- of text
  raw_bytes     INTEGER NOT NULL,
  file_offset   INTEGER NOT NULL,
  length        INTEGER NOT NULL,
  crc           INTEGER NOT NULL,
  codec         INTEGER NOT NULL,
  first_at_ms   REAL NOT NULL,
  last_at_ms    REAL NOT NULL,
  first_batch   INTEGER NOT NULL,
  batches       TEXT NOT NULL,                    -- lines of each, as JSON
  unsent_lines  INTEGER NOT NULL DEFAULT 0,       -- at the front, in no batch: the service has them
  cursor        TEXT,                             -- as of the end of an append; null inside one
  PRIMARY KEY (job, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX log_chunk_by_batch ON log_chunk (job, first_batch, seq);
CREATE INDEX log_chunk_by_line ON log_chunk (job, first_line, seq);
CREATE INDEX log_chunk_by_record ON log_chunk (job, first_record);

CREATE TABLE leftover (
  job  INTEGER NOT NULL REFERENCES job (n) ON DELETE CASCADE,
  body TEXT NOT NULL,
  UNIQUE (job, body)
) STRICT;

CREATE TABLE setting (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
