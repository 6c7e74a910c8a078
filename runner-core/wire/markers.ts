/**
 * Lines of a job's own output that mean something to the owner. They are the agent's words, never
 * proof: a marker adds to what is shown and to the reason of a failure, and decides nothing else.
 */
import * as z from 'zod';
import { isJsonObject } from '../model/json.ts';

/** Every marker contains this; a line without it needs no closer look. */
export const MARKER_HINT = 'PRELOOP_';

export const jobMarkerSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('pr_opened'),
    url: z.string(),
    branch: z.string().nullable(),
    provider: z.string().nullable(),
  }),
  z.object({ kind: z.literal('agent_session'), agentType: z.string(), sessionId: z.string() }),
  z.object({ kind: z.literal('verification'), allowed: z.boolean() }),
  z.object({ kind: z.literal('setup_failed') }),
  z.object({ kind: z.literal('prompt_not_delivered') }),
  z.object({ kind: z.literal('launch_payload_missing') }),
  z.object({ kind: z.literal('launch_payload_truncated') }),
  z.object({
    kind: z.literal('stream_recovery'),
    stage: z.enum(['started', 'result', 'unavailable']),
    detail: z.string(),
  }),
]);
export type JobMarker = z.infer<typeof jobMarkerSchema>;

const TEXT_LIMIT = 255;
const AGENT_TYPE = /^[a-z0-9][a-z0-9_-]{0,31}$/;
/** The session id an agent makes; other agents' ids are not known and are not taken. */
const SESSION_ID: ReadonlyMap<string, RegExp> = new Map([
  ['opencode', /^ses_[A-Za-z0-9]{4,}$/],
  ['codex', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
]);

/**
 * The marker in a line, or null. Pull requests and sessions may stand anywhere in it, as the service
 * reads them; all others only at its start, so that a script that is merely shown raises none.
 */
export function readMarker(line: string): JobMarker | null {
  if (!line.includes(MARKER_HINT)) return null;
  const opened = after(line, 'PRELOOP_PR_OPENED');
  if (opened !== undefined) return readPullRequest(opened);
  const session = after(line, 'PRELOOP_AGENT_SESSION');
  if (session !== undefined) return readSession(session);
  const [, word = '', rest = ''] = /^\s*(PRELOOP_[A-Z_]+)(?![A-Za-z0-9_])(.*)$/s.exec(line) ?? [];
  switch (word) {
    case 'PRELOOP_VERIFICATION':
      return readVerification(rest);
    case 'PRELOOP_SETUP_FAILED':
      return { kind: 'setup_failed' };
    case 'PRELOOP_PROMPT_NOT_DELIVERED':
      return { kind: 'prompt_not_delivered' };
    case 'PRELOOP_LAUNCH_PAYLOAD_MISSING':
      return { kind: 'launch_payload_missing' };
    case 'PRELOOP_LAUNCH_PAYLOAD_TRUNCATED':
      return { kind: 'launch_payload_truncated' };
    case 'PRELOOP_STREAM_RECOVERY':
      return streamRecovery('started', rest);
    case 'PRELOOP_STREAM_RECOVERY_RESULT':
      return streamRecovery('result', rest);
    case 'PRELOOP_STREAM_RECOVERY_UNAVAILABLE':
      return streamRecovery('unavailable', rest);
    default:
      return null;
  }
}

/**
 * Markers held, with further ones taken in: the first pull request and session count, the last
 * verification and word on a stream recovery; the others are there or not. Returns `held` itself when
 * nothing changed.
 */
export function mergeMarkers(
  held: readonly JobMarker[],
  added: readonly JobMarker[],
): readonly JobMarker[] {
  let merged = held;
  for (const marker of added) {
    const at = merged.findIndex((other) => placeOf(other) === placeOf(marker));
    const other = merged[at];
    if (other === undefined) {
      merged = [...merged, marker];
      continue;
    }
    const kept = keptOf(other, marker);
    if (kept !== other) merged = merged.with(at, kept);
  }
  return merged;
}

function placeOf(marker: JobMarker): string {
  return marker.kind === 'stream_recovery' ? `${marker.kind} ${marker.stage}` : marker.kind;
}

function keptOf(held: JobMarker, added: JobMarker): JobMarker {
  if (held.kind === 'pr_opened' && added.kind === 'pr_opened') {
    const addsBranch = held.url === added.url && held.branch === null && added.branch !== null;
    return addsBranch ? { ...held, branch: added.branch } : held;
  }
  if (held.kind === 'verification' && added.kind === 'verification')
    return held.allowed === added.allowed ? held : added;
  if (held.kind === 'stream_recovery' && added.kind === 'stream_recovery')
    return held.detail === added.detail ? held : added;
  return held;
}

function after(line: string, marker: string): string | undefined {
  const at = line.indexOf(marker);
  return at === -1 ? undefined : line.slice(at + marker.length);
}

function readPullRequest(rest: string): JobMarker | null {
  const value = jsonObjectIn(rest);
  const url = typeof value?.['url'] === 'string' ? pullRequestUrl(value['url']) : null;
  if (url === null) return null;
  return {
    kind: 'pr_opened',
    url,
    branch: textOf(value?.['branch']),
    provider: textOf(value?.['provider']),
  };
}

/** Scheme, credentials, host, port and the rest of a web address. */
const WEB_ADDRESS =
  /^(?:(https?):\/\/)?(?:[^/?#@\s]*@)?([a-z0-9.-]+)(?::\d+)?(\/[^?#\s]*)?(?:[?#]\S*)?$/i;
const REST_API_PATH = /^\/(?:api\/v\d|repos\/|rest\/)/;

/**
 * A pull request's address in the one form the service compares: lower-case host; no port, closing
 * slash, query, fragment or credentials; on github.com `issues` becomes `pull`. The address of a REST
 * API is kept as given. Null for what is no web address.
 */
function pullRequestUrl(text: string): string | null {
  const given = text.trim();
  const [, scheme = 'https', host, path = ''] = WEB_ADDRESS.exec(given) ?? [];
  if (host === undefined || given.length > 2_048 || path.length < 2) return null;
  const site = host.toLowerCase();
  if (!site.includes('.') && site !== 'localhost') return null;
  if (site.startsWith('api.') || REST_API_PATH.test(path))
    return given.includes('@') || !given.includes('://') ? null : given;
  const trimmed = path.replace(/\/+$/, '');
  const normal = site === 'github.com' ? trimmed.replace(/\/issues\/(\d+)$/, '/pull/$1') : trimmed;
  return `${scheme.toLowerCase()}://${site}${normal}`;
}

function readSession(rest: string): JobMarker | null {
  const [agentType = '', sessionId = ''] = rest.trim().split(/\s+/);
  if (!AGENT_TYPE.test(agentType)) return null;
  if (SESSION_ID.get(agentType)?.test(sessionId) !== true) return null;
  return { kind: 'agent_session', agentType, sessionId };
}

function readVerification(rest: string): JobMarker | null {
  const value = jsonObjectIn(rest);
  if (value === undefined || !('allowed' in value)) return null;
  return { kind: 'verification', allowed: value['allowed'] === true };
}

function streamRecovery(stage: 'started' | 'result' | 'unavailable', rest: string): JobMarker {
  return { kind: 'stream_recovery', stage, detail: rest.trim().slice(0, TEXT_LIMIT) };
}

/** The object from the first `{` to the last `}`. */
function jsonObjectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  if (from === -1 || to < from) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(from, to + 1));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= TEXT_LIMIT ? value : null;
}
