import { expect, test } from 'vitest';
import { fieldProblem } from '../../../main/cli/field-problem.ts';
import { readSubmission } from '../../../control-plane/submission.ts';
import { HttpProblem, invalidBody } from '../../../control-plane/http-problem.ts';
import * as z from 'zod';

const bodySchema = z.object({
  detail: z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })),
});

/** What the plane says of a job, in the words of the command line. */
function problemsOf(job: unknown): readonly string[] {
  try {
    readSubmission(job);
    return [];
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const problem = invalidBody(error, 'body');
    expect(problem).toBeInstanceOf(HttpProblem);
    return bodySchema.parse(problem.body).detail.map(({ loc, msg }) => fieldProblem(loc, msg));
  }
}

const GOOD = { agent_type: 'codex', image: 'a', script: 'b' };

test.each([
  [GOOD, []],
  [{ ...GOOD, script: undefined }, ['script is missing']],
  [{ ...GOOD, scrpt: 'x' }, ['scrpt is no field of a job']],
  [{ ...GOOD, image: 3 }, ['image must be text']],
  [{ ...GOOD, script: ['a'] }, ['script must be text']],
  [{ ...GOOD, env: 'a' }, ['env must be a section of its own']],
  [{ ...GOOD, env: { A: 1 } }, ['env.A must be text']],
  [{ ...GOOD, timeout_seconds: 'long' }, ['timeout_seconds must be a number']],
  [{ ...GOOD, allowed_mcp_servers: 'a' }, ['allowed_mcp_servers must be a list']],
  ['text', ['the job must be a section of its own']],
])('%j is told as %j', (job, problems) => {
  expect(problemsOf(job)).toEqual(problems);
});

test('a sentence the plane has of a library is kept, after the field', () => {
  expect(problemsOf({ ...GOOD, agent_type: 'A B' })).toEqual([
    expect.stringMatching(/^agent_type: [A-Z]/),
  ]);
});
