/** A request that cannot be done, as the page and the command line are told: a code, plain words, one remedy. */
import type { Problem } from './contract/frames.ts';
import { RunnerError } from '../runner-core/model/errors.ts';

/** Thrown by request handlers; everything else that is thrown is a fault of ours and told as `internal`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: string;
  readonly problem: Problem;

  constructor(
    code: string,
    message: string,
    remedy: string | null = null,
    field: string | null = null,
  ) {
    super(message);
    this.code = code;
    this.problem = { code, message, remedy, field };
  }
}

/** What is told of anything thrown. Only messages made for people are passed on. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof RunnerError)
    return { code: error.code, message: error.message, remedy: null, field: null };
  return {
    code: 'internal',
    message: 'This app met an error of its own.',
    remedy: 'Try again; host.log in the diagnostics folder tells more.',
    field: null,
  };
}
