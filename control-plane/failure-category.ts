/** Why an execution failed, as one short word, read off its status, its error text and its log's signals. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/insufficient (credit|fund|balance)|payment required|billing/i, 'provider_billing'],
  [/setup (command )?failed|PRELOOP_SETUP_FAILED/i, 'setup_failed'],
  [/container name .* is already in use|runner conflict/i, 'runner_conflict'],
  [
    /\bdocker\b|no such image|no longer holds this execution|runner was deleted|runner unregistered/i,
    'runner_error',
  ],
  [/timed out after/i, 'timeout'],
  [/stopped by user/i, 'cancelled'],
];
const PROVIDER_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/invalid api key|incorrect api key|authentication|\b401\b/i, 'model_auth'],
  [/rate limit|overloaded|temporarily unavailable|\b(429|503|529)\b/i, 'model_transient'],
  [/quota/i, 'provider_billing'],
  [/model .*(not found|does not exist)|unknown model/i, 'model_config'],
];

/** Null for success and for what has not ended. */
export function failureCategory(ending: {
  readonly status: string;
  readonly error: string | null;
  readonly setupFailed: boolean;
}): string | null {
  if (['STOPPED', 'CANCELLED', 'CANCELED'].includes(ending.status)) return 'cancelled';
  if (['TIMEOUT', 'TIMED_OUT'].includes(ending.status)) return 'timeout';
  if (ending.status !== 'FAILED') return null;
  const error = ending.error ?? '';
  const byShape = firstMatch(PATTERNS, error);
  if (byShape !== undefined) return byShape;
  if (ending.setupFailed) return 'setup_failed';
  return firstMatch(PROVIDER_PATTERNS, error) ?? 'unknown';
}

function firstMatch(
  patterns: readonly (readonly [RegExp, string])[],
  text: string,
): string | undefined {
  return patterns.find(([pattern]) => pattern.test(text))?.[1];
}
