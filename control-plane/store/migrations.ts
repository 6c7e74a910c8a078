/** The plane's schema as numbered steps, never edited once released. Instants are epoch milliseconds. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE account (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL, organization_name TEXT NOT NULL,
    default_runner_pool TEXT, created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE kill_switch (
    scope TEXT PRIMARY KEY, reason TEXT, activated_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE runner (
    id TEXT PRIMARY KEY, instance_id TEXT, name TEXT NOT NULL, hostname TEXT, os TEXT, arch TEXT,
    labels TEXT NOT NULL, ephemeral INTEGER NOT NULL, status TEXT NOT NULL,
    last_heartbeat_ms INTEGER, concurrency INTEGER NOT NULL, reported_concurrency INTEGER,
    token_hash TEXT NOT NULL, connection_id TEXT, publication_readiness TEXT,
    capabilities TEXT NOT NULL, reports_held INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL
  ) STRICT;

  -- What a flow runs, frozen: executions keep the one they were made with. 'sealed' holds all that
  -- may be secret: script, environment, prompt and configurations.
  CREATE TABLE definition (
    id TEXT PRIMARY KEY, body TEXT NOT NULL, sealed BLOB NOT NULL, fingerprint TEXT NOT NULL
  ) STRICT;

  CREATE TABLE flow (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, revision INTEGER NOT NULL,
    definition_id TEXT NOT NULL REFERENCES definition (id),
    created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL
  ) STRICT;

  -- queued_at_ms is set while the execution waits for a runner, leased_at_ms from its first lease on.
  CREATE TABLE execution (
    no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    flow_id TEXT NOT NULL REFERENCES flow (id), flow_revision INTEGER NOT NULL,
    definition_id TEXT NOT NULL REFERENCES definition (id), pool TEXT NOT NULL, resume_from TEXT,
    status TEXT NOT NULL, runner_id TEXT, agent_session_reference TEXT,
    start_time_ms INTEGER NOT NULL, end_time_ms INTEGER, error_message TEXT, failure_category TEXT,
    result TEXT, cli_session TEXT, evidence_receipt TEXT, setup_failed INTEGER NOT NULL DEFAULT 0,
    launch_requested_at_ms INTEGER, stop_requested_at_ms INTEGER, stop_reason TEXT,
    stop_source TEXT, stop_confirmed_at_ms INTEGER, queued_reason TEXT,
    queued_at_ms INTEGER, leased_at_ms INTEGER, timeout_seconds INTEGER NOT NULL,
    lines_stored INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX execution_queued ON execution (queued_at_ms, no) WHERE queued_at_ms IS NOT NULL;
  CREATE INDEX execution_open ON execution (leased_at_ms) WHERE end_time_ms IS NULL;

  CREATE TABLE assignment (
    no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    runner_id TEXT NOT NULL REFERENCES runner (id) ON DELETE CASCADE,
    execution_id TEXT NOT NULL UNIQUE REFERENCES execution (id) ON DELETE CASCADE,
    pending_job TEXT NOT NULL, assigned_at_ms INTEGER NOT NULL,
    halt_requested_at_ms INTEGER, reported_status TEXT, delivered_at_ms INTEGER
  ) STRICT;
  CREATE INDEX assignment_runner ON assignment (runner_id, assigned_at_ms, no);

  CREATE TABLE runtime_credential (
    token_hash TEXT PRIMARY KEY,
    execution_id TEXT NOT NULL REFERENCES execution (id) ON DELETE CASCADE,
    active INTEGER NOT NULL, created_at_ms INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX runtime_credential_execution ON runtime_credential (execution_id);

  -- One row a batch. Line numbers count from 1 within the execution. layout 0: lines joined by line
  -- feeds; 1: a JSON array.
  CREATE TABLE log_batch (
    no INTEGER PRIMARY KEY, execution_no INTEGER NOT NULL, batch_id TEXT NOT NULL,
    first_line INTEGER NOT NULL, lines INTEGER NOT NULL, stored_at_ms INTEGER NOT NULL,
    layout INTEGER NOT NULL, body TEXT NOT NULL,
    UNIQUE (execution_no, batch_id)
  ) STRICT;
  CREATE INDEX log_batch_lines ON log_batch (execution_no, first_line);
  `,
  // Configurations are read from the sealed half of the definition.
  `
  UPDATE assignment SET pending_job = json_remove(
    pending_job, '$.agent_config', '$.git_clone_config', '$.custom_commands', '$.allowed_mcp_tools'
  );
  `,
];
