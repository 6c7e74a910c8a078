/**
 * The REST calls a runner needs, made with the *owner's* token. Owns nothing: what is stored of an
 * answer is `services/enrolment.ts`'s.
 */
import {
  REGISTER_PATH,
  registerResponseSchema,
  type RegisterRequest,
} from '../../runner-core/wire/rest.ts';
import { NetworkError, networkWords } from '../../runner-core/model/network-problem.ts';
import { toRunnerId, type RunnerId } from '../../runner-core/model/ids.ts';
import { callService, type HttpAnswer } from './http-call.ts';
import type { ServiceRoute } from './service-route.ts';

const TIMEOUT_MS = 30_000;

export interface Registered {
  readonly ok: true;
  readonly runnerId: RunnerId;
  readonly token: string;
  readonly name: string;
}
/** `detail` is the service's own words, at most 300 characters; of the way to it, `remedy` is what to do about that. */
export interface NotRegistered {
  readonly ok: false;
  readonly kind: 'unauthorized' | 'forbidden' | 'not_found' | 'invalid' | 'unreachable' | 'service';
  readonly detail: string;
  readonly remedy?: string | null;
}
export type Registration = Registered | NotRegistered;

/**
 * `POST /runners/register`: creates a runner, or with `runner_id` resumes one, which rotates its token
 * (the socket opened with the old one ends on its next frame). Never throws.
 */
export async function register(
  route: ServiceRoute,
  serverUrl: string,
  ownerToken: string,
  request: RegisterRequest,
): Promise<Registration> {
  let answer: HttpAnswer;
  try {
    answer = await callService(route, {
      url: new URL(`${serverUrl}${REGISTER_PATH}`),
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'User-Agent': 'preloop-runner-host',
        Authorization: `Bearer ${ownerToken}`,
      },
      body: JSON.stringify(request),
      timeoutMs: TIMEOUT_MS,
    });
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    const { what, remedy } = networkWords(error.problem);
    return { ok: false, kind: 'unreachable', detail: what, remedy };
  }
  const { status, text } = answer;
  if (status < 200 || status > 299)
    return { ok: false, kind: kindOf(status), detail: detailOf(text, status) };
  const parsed = registerResponseSchema.safeParse(parseJson(text));
  const runnerId = parsed.success ? toRunnerId(parsed.data.id) : undefined;
  if (!parsed.success || runnerId === undefined) {
    const field = parsed.success ? 'id' : (parsed.error.issues[0]?.path.join('.') ?? '');
    return { ok: false, kind: 'service', detail: `the service's answer has no usable "${field}"` };
  }
  return { ok: true, runnerId, token: parsed.data.token, name: parsed.data.name };
}

function kindOf(status: number): NotRegistered['kind'] {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  return status === 422 ? 'invalid' : 'service';
}

function detailOf(text: string, status: number): string {
  const body = parseJson(text);
  const detail =
    typeof body === 'object' && body !== null ? (body as { detail?: unknown }).detail : undefined;
  const words = typeof detail === 'string' ? detail : JSON.stringify(detail ?? `HTTP ${status}`);
  return words.slice(0, 300);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
