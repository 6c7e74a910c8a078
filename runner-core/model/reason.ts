/**
 * Why a job did not succeed, as a stable code. Owns the list of codes; the plain words and the one
 * remedy of each are in `reason-text.ts`.
 */
export const REASON_CODES = [
  'bad_payload',
  'launch_error',
  'launch_invalid',
  'agent_unsupported',
  'kind_unsupported',
  'options_invalid',
  'permission_needed',
  'image_unnamed',
  'image_missing',
  'image_pull_failed',
  'docker_unavailable',
  'network_failed',
  'workspace_recovery_unavailable',
  'workspace_failed',
  'create_refused',
  'start_refused',
  'engine_refused',
  'not_executable',
  'command_not_found',
  'out_of_memory',
  'exit_nonzero',
  'killed_by_signal',
  'setup_failed',
  'no_report',
  'report_malformed',
  'report_too_large',
  'report_duplicate',
  'report_unknown_verdict',
  'report_exit_mismatch',
  'reported_failure',
  'time_limit',
  'stopped_by_service',
  'stopped_by_owner',
  'stopped_by_shutdown',
  'host_restarted',
  'worker_crashed',
  'worker_start_failed',
  'withdrawn',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/** One cause. `facts` are short, secret-free strings that the words are made of (image, limit, option…). */
export interface Reason {
  readonly code: ReasonCode;
  readonly facts: Readonly<Record<string, string>>;
}

export function reason(code: ReasonCode, facts: Readonly<Record<string, string>> = {}): Reason {
  return { code, facts };
}
