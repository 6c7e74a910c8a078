/**
 * The plain words of the reasons of host jobs, as `reason-text.ts` has those of all others.
 *
 * Facts used: `profile`, `model`, `field`, `problem`, `harness`, `exitCode`, `signal`, `limit`, `detail`, `lastWords` (the
 * last thing Cursor said, one line), `background` (set where a shell was left running).
 */
import type { Reason, ReasonCode } from './reason.ts';

type Facts = Reason['facts'];
type Words = (facts: Facts) => { readonly what: string; readonly remedy: string };
export type HostReasonCode =
  Extract<ReasonCode, `host_${string}`> | Extract<ReasonCode, 'resume_unavailable'>;
/** The other codes with this beginning are of containers and of the host itself. */
type HostExecCode = Exclude<HostReasonCode, 'host_restarted'>;

const say =
  (what: (facts: Facts) => string, remedy: string): Words =>
  (facts) => ({ what: what(facts), remedy });

export const HOST_EXEC_WORDS: Readonly<Record<HostExecCode, Words>> = {
  host_exec_off: say(
    () => 'This machine offers no local command to flows.',
    'Turn a profile on under Profiles if you want flows to start Cursor here.',
  ),
  host_exec_field_refused: say(
    (facts) =>
      `The job tried to bring ${facts['field'] ?? 'a command'} of its own, which a local command never takes from the service.`,
    'Save the flow in Preloop with nothing but a profile, a prompt and a model.',
  ),
  host_exec_pull_request_refused: say(
    () => 'The flow wants a pull request, which a local command cannot open.',
    'Turn the pull request off in the flow, or run it in a container.',
  ),
  host_exec_protocol_invalid: say(
    (facts) => `The job does not follow the protocol of local commands${problemText(facts)}.`,
    'Choose the agent Cursor in the flow and save it again.',
  ),
  host_exec_profile_unknown: say(
    (facts) => `This machine has no profile${named(facts['profile'])} that is turned on.`,
    'Compare the name in the flow with the profiles of this machine.',
  ),
  host_exec_profile_unusable: say(
    (facts) => `The profile${named(facts['profile'])} cannot be used${detailText(facts)}.`,
    'Open Profiles on this machine and correct it there.',
  ),
  host_exec_model_not_mapped: say(
    (facts) =>
      `The profile${named(facts['profile'])} has no model${named(facts['model'])} in its list.`,
    "Add the model to the profile's list, or choose another in the flow.",
  ),
  host_exec_mcp_unavailable: say(
    () =>
      'The flow brings tool servers (MCP), which this machine does not hand to a local command.',
    'Remove the tool servers from the flow; those set up in Cursor itself still work.',
  ),
  host_checkout_not_allowed: say(
    () => 'The flow wants a repository cloned, which this machine does not do for a local command.',
    'Remove the repository from the flow, or run it in a container instead.',
  ),
  host_setup_commands_not_allowed: say(
    () => 'The flow brings set-up commands, which this machine does not run outside a container.',
    'Remove the commands from the flow.',
  ),
  host_workspace_seeds_not_allowed: say(
    () => 'The flow brings files for its workspace, which a local command does not get here.',
    'Remove the files from the flow, or put them where the prompt can name them.',
  ),
  host_publication_not_allowed: say(
    () => 'The flow wants its work published, which this machine does not do for a local command.',
    'Turn publication off in the flow.',
  ),
  resume_unavailable: say(
    () =>
      'The job wants to continue an earlier session, which this machine does not do with Cursor.',
    'Start the flow without a session to continue.',
  ),
  host_exec_trust_refused: say(
    () => 'Cursor did not trust the folder of the job and did nothing.',
    "Let the profile give trust per job, or add --trust to the profile's arguments.",
  ),
  host_exec_not_signed_in: say(
    () => 'Cursor is not signed in on this machine.',
    'Sign in with cursor-agent login, then start the flow again.',
  ),
  host_exec_model_refused: say(
    (facts) => `Cursor refused the model${named(facts['model'])}.`,
    "Compare the profile's model list with what cursor-agent models shows.",
  ),
  host_exec_rate_limited: say(
    () => 'Cursor refused to go on because a usage limit is reached.',
    "Wait until the limit is over, or raise it in Cursor's settings.",
  ),
  host_exec_binary_missing: say(
    (facts) => `Cursor was not found on this machine${detailText(facts)}.`,
    'Install the Cursor CLI, or give its full path in the profile.',
  ),
  host_exec_not_executable: say(
    (facts) => `Cursor was found but may not be executed${detailText(facts)}.`,
    'Make the file executable for the user this host runs as.',
  ),
  host_exec_executable_unsupported: say(
    (facts) => `A file of this kind cannot be started as Cursor${detailText(facts)}.`,
    'Name the .exe or .cmd of Cursor in the profile.',
  ),
  host_exec_batch_argument_unsafe: say(
    () => 'The prompt or an argument holds a character that a Windows batch file would misread.',
    'Install Cursor as an .exe or through npm, so that no batch file stands in between.',
  ),
  host_exec_command_too_long: say(
    (facts) => `The command line is longer than this system takes${limitText(facts)}.`,
    'Make the prompt of the flow shorter.',
  ),
  host_exec_start_failed: say(
    (facts) => `Cursor could not be started${detailText(facts)}.`,
    'Start cursor-agent in a terminal as the same user and see what it says.',
  ),
  host_exec_directory_failed: say(
    (facts) => `The folder of the job could not be made or written${detailText(facts)}.`,
    "Check free space and permissions of the profile's workspace folder.",
  ),
  host_exec_config_race: say(
    () => 'Cursor stumbled twice over its own configuration file, which another start was writing.',
    'Start the flow again when fewer Cursor programs start at once.',
  ),
  host_exec_no_result: say(
    (facts) => `Cursor ended without a result${lastWords(facts)}${backgroundText(facts)}.`,
    'Read the end of the log; the profile must leave the output format to this host.',
  ),
  host_exec_two_results: say(
    () => 'Cursor gave more than one result; exactly one counts.',
    'Update Cursor, and remove wrappers that run it more than once.',
  ),
  host_exec_reported_failure: say(
    (facts) => `Cursor reported that it failed${lastWords(facts)}.`,
    'Read the end of the conversation for what went wrong.',
  ),
  host_exec_exit_nonzero: say(
    (facts) =>
      `Cursor ended with exit code ${facts['exitCode'] ?? 'other than 0'}${lastWords(facts)}.`,
    'Read what Cursor said last, then try the profile on this machine.',
  ),
  host_exec_killed: say(
    (facts) => `Cursor was ended by ${facts['signal'] ?? 'a signal'}; nobody here asked for it.`,
    'Check whether something else on this machine ends processes, for example for memory.',
  ),
  host_exec_timeout: say(
    (facts) =>
      `The run passed its deadline${facts['limit'] === undefined ? '' : ` of ${facts['limit']}`} and was ended${backgroundText(facts)}.`,
    'If it needs longer, raise the time limit of the profile and of the flow.',
  ),
  host_exec_stalled: say(
    (facts) =>
      `Cursor said nothing${facts['limit'] === undefined ? '' : ` for ${facts['limit']}`} and was ended${backgroundText(facts)}.`,
    "Raise the profile's silence limit, or turn it off.",
  ),
  host_exec_lingered: say(
    (facts) =>
      `Cursor gave its result but did not exit; it was ended${facts['limit'] === undefined ? '' : ` after ${facts['limit']}`}.`,
    'If its results are good all the same, let the profile count this as success.',
  ),
};

function problemText({ field, problem = 'is not as it must be' }: Facts): string {
  return field === undefined ? '' : `: ${field} ${problem}`;
}
function detailText(facts: Facts): string {
  const detail = facts['detail']?.trim().replace(/\.+$/, '') ?? '';
  return detail === '' ? '' : `: ${detail}`;
}
function limitText(facts: Facts): string {
  return facts['limit'] === undefined ? '' : ` (${facts['limit']})`;
}
function lastWords(facts: Facts): string {
  const said = facts['lastWords']?.trim() ?? '';
  return said === '' ? '' : ` (last words: ${said})`;
}
function backgroundText(facts: Facts): string {
  return facts['background'] === undefined ? '' : '; a shell was left running in the background';
}
function named(name: string | undefined): string {
  return name === undefined || name === '' ? '' : ` ${name}`;
}
