/** A request that is refused: status and body, in the shapes of the hosted service. */
import type * as z from 'zod';
import type { Json, JsonObject } from '../runner-core/model/json.ts';

export class HttpProblem extends Error {
  readonly status: number;
  readonly body: JsonObject;
  constructor(status: number, detail: Json) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = { detail };
  }
}

/** One entry of a 422 body. `input` is left null where it could be a secret. */
export interface FieldProblem {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: Json;
}

export function invalidField(problem: FieldProblem): HttpProblem {
  return new HttpProblem(422, [{ ...problem, loc: [...problem.loc] }]);
}

/** What a schema found wrong with a body, as 422. Values are never repeated: some are secrets. */
export function invalidBody(error: z.ZodError, where: 'body'): HttpProblem {
  return new HttpProblem(
    422,
    error.issues.flatMap((issue) => issueProblems(issue, where)),
  );
}

function issueProblems(issue: z.core.$ZodIssue, where: string): readonly JsonObject[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      type: 'extra_forbidden',
      loc: [where, ...path, key],
      msg: 'Extra inputs are not permitted',
      input: null,
    }));
  }
  return [{ type: issueType(issue), loc: [where, ...path], msg: issue.message, input: null }];
}

function issueType(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') {
    return issue.message.endsWith('received undefined') ? 'missing' : `${issue.expected}_type`;
  }
  if (issue.code === 'too_big') {
    return issue.origin === 'string' || issue.origin === 'array' ? 'too_long' : 'less_than_equal';
  }
  if (issue.code === 'too_small') {
    return issue.origin === 'string' || issue.origin === 'array'
      ? 'too_short'
      : 'greater_than_equal';
  }
  if (issue.code === 'custom' && issue.message.startsWith('is missing')) return 'missing';
  return issue.code === 'invalid_format' ? 'string_pattern_mismatch' : 'value_error';
}
