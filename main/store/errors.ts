/** Failures of the store that only this host meets; StoreUnavailableError, which the engine handles, is in the model. */
import { RunnerError, StoreUnavailableError } from '../../runner-core/model/errors.ts';

/** The file is a database of another program, or no database. It was not touched. */
export class ForeignDatabaseError extends RunnerError {
  readonly code = 'foreign_database';
  readonly facts: { readonly path: string };
  constructor(facts: ForeignDatabaseError['facts'], options?: ErrorOptions) {
    super(
      `${facts.path} is not a database of this program. Move it away, or choose another data folder.`,
      options,
    );
    this.facts = facts;
  }
}

/** A later version of this program wrote the file. It was not touched. */
export class NewerDatabaseError extends RunnerError {
  readonly code = 'newer_database';
  readonly facts: { readonly path: string; readonly found: number; readonly known: number };
  constructor(facts: NewerDatabaseError['facts']) {
    super(
      `${facts.path} has version ${facts.found}; this program knows versions up to ${facts.known}. Start the newer program, or choose another data folder.`,
    );
    this.facts = facts;
  }
}

export class UnknownJobError extends RunnerError {
  readonly code = 'unknown_job';
  readonly facts: { readonly jobId: string };
  constructor(facts: UnknownJobError['facts']) {
    super(`The store has no job ${facts.jobId}`);
    this.facts = facts;
  }
}

export class JobExistsError extends RunnerError {
  readonly code = 'job_exists';
  readonly facts: { readonly jobId: string };
  constructor(facts: JobExistsError['facts'], options?: ErrorOptions) {
    super(`The store already has job ${facts.jobId}`, options);
    this.facts = facts;
  }
}

/** Chunks that do not continue what is stored. Always a bug of the worker that numbered them. */
export class LogGapError extends RunnerError {
  readonly code = 'log_gap';
  readonly facts: { readonly jobId: string; readonly seq: number; readonly problem: string };
  constructor(facts: LogGapError['facts']) {
    super(`Chunk ${facts.seq} of job ${facts.jobId} cannot be stored: ${facts.problem}`);
    this.facts = facts;
  }
}

/** A stored row does not read as what we write: the file was changed by something else. */
export class StoredJobDamagedError extends RunnerError {
  readonly code = 'stored_job_damaged';
  readonly facts: { readonly jobId: string; readonly field: string };
  constructor(facts: StoredJobDamagedError['facts'], options?: ErrorOptions) {
    super(`What is stored of job ${facts.jobId} is damaged in ${facts.field}`, options);
    this.facts = facts;
  }
}

/**
 * Runs `act`; a refusal of SQLite or of the file system becomes StoreUnavailableError, anything else
 * passes as it is.
 *
 * @param what the act in plain words, as in "could not <what>"
 */
export function orUnavailable<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const systemCode = codeOfRefusal(error);
    if (systemCode === undefined) throw error;
    throw new StoreUnavailableError({ act: what, systemCode }, { cause: error });
  }
}

/** SQLITE_FULL, ENOSPC and the like; undefined for what is no refusal of the disk. */
function codeOfRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof RunnerError || !('code' in error))
    return undefined;
  const { code } = error;
  if (typeof code !== 'string' || code.startsWith('SQLITE_CONSTRAINT')) return undefined;
  return /^SQLITE_[A-Z_]+$|^E[A-Z0-9]+$/.test(code) ? code : undefined;
}
