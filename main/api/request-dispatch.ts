/** Finds the handler of a request and checks what it is given. */
import {
  REQUESTS,
  type RequestInput,
  type RequestName,
  type RequestResult,
} from '../contract/requests.ts';
import { ProblemError } from '../problem.ts';
import type { RequestHandlers } from './page-source.ts';

/** The result; rejects with ProblemError for an unknown name and for input that does not fit. */
export async function carryOut(
  handlers: RequestHandlers,
  name: string,
  input: unknown,
): Promise<unknown> {
  if (!isRequest(name)) throw new ProblemError('unknown_request', `There is no request ${name}.`);
  return handle(handlers, name, input);
}

async function handle<R extends RequestName>(
  handlers: RequestHandlers,
  name: R,
  input: unknown,
): Promise<RequestResult<R>> {
  const parsed = REQUESTS[name].input.safeParse(input);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = issue?.path.join('.') ?? '';
    const message = `${field === '' ? 'The input' : field}: ${issue?.message ?? 'does not fit'}.`;
    throw new ProblemError('bad_input', message, null, field);
  }
  const handler: (given: RequestInput<R>) => RequestResult<R> | Promise<RequestResult<R>> =
    handlers[name];
  return handler(parsed.data as RequestInput<R>);
}

function isRequest(name: string): name is RequestName {
  return Object.hasOwn(REQUESTS, name);
}
