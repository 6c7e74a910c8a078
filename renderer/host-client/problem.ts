/** What the host says is wrong, as an error that can be thrown. Owns no words. */
import type { Problem } from '../../main/contract/frames.ts';

export class HostProblem extends Error {
  readonly code: string;
  readonly remedy: string | null;
  readonly field: string | null;

  constructor(problem: Problem) {
    super(problem.message);
    this.name = 'HostProblem';
    this.code = problem.code;
    this.remedy = problem.remedy;
    this.field = problem.field;
  }
}

/** `error` as a problem that can be shown. */
export function toProblem(error: unknown): Problem {
  if (error instanceof HostProblem)
    return { code: error.code, message: error.message, remedy: error.remedy, field: error.field };
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'page', message, remedy: null, field: null };
}
