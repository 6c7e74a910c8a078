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
  'host_exec_off',
  'host_exec_field_refused',
  'host_exec_pull_request_refused',
  'host_exec_protocol_invalid',
  'host_exec_profile_unknown',
  'host_exec_profile_unusable',
  'host_exec_model_not_mapped',
  'host_exec_mcp_unavailable',
  'host_checkout_not_allowed',
  'host_setup_commands_not_allowed',
  'host_workspace_seeds_not_allowed',
  'host_publication_not_allowed',
  'resume_unavailable',
  'host_exec_trust_refused',
  'host_exec_not_signed_in',
  'host_exec_model_refused',
  'host_exec_rate_limited',
  'host_exec_binary_missing',
  'host_exec_not_executable',
  'host_exec_executable_unsupported',
  'host_exec_batch_argument_unsafe',
  'host_exec_command_too_long',
  'host_exec_start_failed',
  'host_exec_directory_failed',
  'host_exec_config_race',
  'host_exec_no_result',
  'host_exec_two_results',
  'host_exec_reported_failure',
  'host_exec_exit_nonzero',
  'host_exec_killed',
  'host_exec_timeout',
  'host_exec_stalled',
  'host_exec_lingered',
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
