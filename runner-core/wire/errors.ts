/** The error texts of the service, exactly as it sends them, and which of them are final. */
import type { Refusal } from '../model/session-state.ts';

/** With a `batch_id`: that batch is refused for good, the session goes on. */
export const INVALID_LOG_BATCH = 'Invalid runner log batch';
/** A `complete` with a status other than the three; the lease stays, the session goes on. */
export const INVALID_COMPLETION_STATUS = 'Invalid runner completion status';
/** The execution of a `complete` is gone; the session ends and heals by dialling again. */
export const EXECUTION_GONE = 'Runner execution no longer exists';
export const PUBLICATION_REJECTED = 'Publication protocol rejected; recovery retained';

/** The token or runner id is not known; followed by close code 1008. */
export const UNAUTHORIZED = 'unauthorized';
export const RUNNER_GONE = 'gone';
export const RUNNER_DELETED = 'Runner was deleted';
export const TOKEN_ROTATED = 'Runner token was rotated';
/** Another socket of the same runner is the live one now. */
export const CONNECTION_REPLACED = 'Runner connection was replaced';

/** A frame type the service does not know; the session goes on. */
export function unknownTypeError(type: string): string {
  return `unknown ${type}`;
}

const REFUSAL_OF_ERROR: ReadonlyMap<string, Refusal> = new Map([
  [UNAUTHORIZED, 'unauthorized'],
  [RUNNER_GONE, 'gone'],
  [RUNNER_DELETED, 'deleted'],
  [TOKEN_ROTATED, 'rotated'],
  [CONNECTION_REPLACED, 'replaced'],
]);

/** Why the service will not have us, for the errors that no retry heals; null for every other text. */
export function refusalOf(error: string): Refusal | null {
  return REFUSAL_OF_ERROR.get(error) ?? null;
}
