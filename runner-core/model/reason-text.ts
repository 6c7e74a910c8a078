/**
 * The plain words of every reason: one sentence of what happened, one remedy. Facts that are known are
 * named in the sentence, and it stands without them too. The sentence is also what the service is told
 * as `error`, unless a caller has better. Those of host jobs are in `host-exec-text.ts`.
 *
 * Facts used: `image`, `flow`, `option` and its `value`, `network`, `workspace`, `field`, `problem`, `kind`, `agentType`,
 * `supported`, `exitCode`, `signal`, `limit`, `detail` (what an engine, a registry or the service said).
 */
import { HOST_EXEC_WORDS } from './host-exec-text.ts';
import type { Reason, ReasonCode } from './reason.ts';

export interface ReasonText {
  readonly what: string;
  readonly remedy: string;
}
type Facts = Readonly<Record<string, string>>;
type Words = (facts: Facts) => ReasonText;

/** The words of a reason. */
export function reasonText(reason: Reason): ReasonText {
  return WORDS[reason.code](reason.facts);
}

const say =
  (what: (facts: Facts) => string, remedy: string | ((facts: Facts) => string)): Words =>
  (facts) => ({
    what: what(facts),
    remedy: typeof remedy === 'string' ? remedy : remedy(facts),
  });

const WORDS: Readonly<Record<ReasonCode, Words>> = {
  bad_payload: say(
    (facts) => `The job cannot be read: ${fieldText(facts, 'one of its fields is malformed')}.`,
    'Update the runner host; if it is current, report the field to Preloop.',
  ),
  launch_error: say(
    (facts) => `Preloop could not prepare the job${detailText(facts)}.`,
    'Save the flow in Preloop again, then start it anew.',
  ),
  launch_invalid: say(
    (facts) => `The launch of the job is not valid: ${fieldText(facts, 'a field is malformed')}.`,
    'Check the script and the variables of the flow in Preloop.',
  ),
  agent_unsupported: say(
    (facts) =>
      `This machine cannot run the agent${named(facts['agentType'])}` +
      `${facts['supported'] === undefined ? '' : `; it runs ${facts['supported']}`}.`,
    'Choose another agent in the flow.',
  ),
  kind_unsupported: say(
    (facts) => `This machine does not take jobs of this kind${bracketed(facts['kind'])}.`,
    'Choose a runner pool in Preloop whose runners take this kind of job.',
  ),
  options_invalid: say(
    (facts) =>
      `The runner options of the flow are not valid: ${fieldText(facts, 'one cannot be followed')}.`,
    'Correct the runner options in the flow.',
  ),
  permission_needed: say(
    (facts) =>
      `The flow${named(facts['flow'])} asks for something this machine has not been allowed to give` +
      `${bracketed(optionText(facts))}.`,
    ({ flow = 'FLOW-ID', option = 'OPTION' }) =>
      `If you trust the flow, write \`${flow}: [${option}]\` under \`allow:\` in settings.yaml, then start it again.`,
  ),
  image_unnamed: say(
    () => 'The job names no container image.',
    'Set an image in the agent settings of the flow.',
  ),
  image_missing: say(
    (facts) => `The image${named(facts['image'])} does not exist${detailText(facts)}.`,
    "Correct the image's name in the flow, or build it on this machine.",
  ),
  image_pull_failed: say(
    (facts) => `The image${named(facts['image'])} could not be pulled${detailText(facts)}.`,
    'Sign in to its registry with docker login and check the network.',
  ),
  docker_unavailable: say(
    (facts) => `Docker did not answer on this machine${detailText(facts)}.`,
    'Start Docker; the host finds it by itself. Then start the flow again.',
  ),
  network_failed: say(
    (facts) =>
      `The Docker network${named(facts['network'])} could not be made ready${detailText(facts)}.`,
    'Create the network with docker network create, or name another in the flow.',
  ),
  workspace_recovery_unavailable: say(
    (facts) =>
      `The workspace this job continues is not on this machine` +
      `${bracketed(facts['workspace'])}${detailText(facts)} (workspace_recovery_unavailable).`,
    'Start the flow from the beginning, or continue it on the machine that has the workspace.',
  ),
  workspace_failed: say(
    (facts) => `The workspace of the job could not be prepared${detailText(facts)}.`,
    'Check free space and permissions of the workspaces folder.',
  ),
  create_refused: say(
    (facts) => `Docker refused to create the container${detailText(facts)}.`,
    "Compare the flow's mounts, network and limits with what Docker says.",
  ),
  start_refused: say(
    (facts) => `Docker created the container but could not start it${detailText(facts)}.`,
    'Check that the image has Bash and suits the processor of this machine.',
  ),
  engine_refused: say(
    (facts) => `Docker could not run the container${exitText(facts)}${detailText(facts)}.`,
    'Look at what Docker reports, for example with docker info.',
  ),
  not_executable: say(
    (facts) =>
      facts['image'] === undefined
        ? `The script ended with a command that may not be executed${exitText(facts)}.`
        : `The image ${facts['image']} has a Bash that may not be executed${detailText(facts)}.`,
    'Look at the end of the log for what may not be executed, and make it executable.',
  ),
  command_not_found: say(
    (facts) =>
      facts['image'] === undefined
        ? `The script ended with a command that the image does not have${exitText(facts)}.`
        : `The image ${facts['image']} has no Bash to start${detailText(facts)}.`,
    'Use an image that has Bash, python3 and every command of the script.',
  ),
  out_of_memory: say(
    (facts) =>
      facts['limit'] === undefined
        ? 'The job was killed because memory ran out.'
        : `The job was killed for memory: it reached its limit of ${facts['limit']}.`,
    'Raise limits.memory in settings.yaml, or make the job smaller.',
  ),
  exit_nonzero: say(
    (facts) => `The job failed with exit code ${facts['exitCode'] ?? 'other than 0'}.`,
    'Look at the end of the log for the first failure.',
  ),
  killed_by_signal: say(
    (facts) =>
      `The job was ended by ${facts['signal'] ?? 'a signal'}` +
      `${exitText(facts)}; nobody here asked for it.`,
    'Check whether something else on this machine ends containers or processes.',
  ),
  setup_failed: say(
    (facts) => `The setup of the job failed before the agent began${exitText(facts)}.`,
    'Correct the setup commands of the flow; the log shows which one failed.',
  ),
  no_report: say(
    () => 'The script ended well but wrote no usable /workspace/result.json.',
    'Have the agent write result.json with a status before it ends.',
  ),
  report_malformed: say(
    () => 'The result of the job cannot be read.',
    'Have the agent write result.json as one JSON object that is not empty.',
  ),
  report_too_large: say(
    () => 'The result of the job is larger than the 256 KiB that Preloop takes.',
    'Have the agent write a shorter result; text beyond ASCII counts up to six times.',
  ),
  report_duplicate: say(
    () => 'The job printed more than one result; exactly one counts.',
    'Keep the line that starts with PRELOOP_RUNNER_RESULT_V1 out of what the job prints.',
  ),
  report_unknown_verdict: say(
    () => 'The result of the job says neither success nor failure in a word Preloop knows.',
    'Have the agent set status to success or failed.',
  ),
  report_exit_mismatch: say(
    (facts) =>
      `The container ended well, but its result tells of exit code ${facts['exitCode'] ?? 'other than 0'}.`,
    'Check that the image hands on the exit code of what it is given to run.',
  ),
  reported_failure: say(
    () => 'The agent reported that it failed.',
    'Read its result and the end of the log.',
  ),
  time_limit: say(
    (facts) =>
      `The job reached its time limit${facts['limit'] === undefined ? '' : ` of ${facts['limit']}`} and was ended.`,
    'If the job needs longer, raise limits.time_limit in settings.yaml.',
  ),
  stopped_by_service: say(
    () => 'The job was stopped by Preloop.',
    'Open the run in Preloop to see who stopped it.',
  ),
  stopped_by_owner: say(
    () => 'The job was stopped by you.',
    'Start the flow again when you want it to run.',
  ),
  stopped_by_shutdown: say(
    () => 'The job was stopped because the runner host was stopped.',
    'Start the host, then start the flow again.',
  ),
  host_restarted: say(
    () =>
      'The job was lost: the runner host was interrupted, and nothing of it was left to take up.',
    'Start the flow again.',
  ),
  worker_crashed: say(
    () => 'The job was lost: the process that carried it out ended unexpectedly.',
    'Start the flow again; if it happens twice, report it with diagnostics/host.log of the data folder.',
  ),
  worker_start_failed: say(
    () => 'The job could not be carried out: its process did not start.',
    'Restart the host, and check that the machine has free memory.',
  ),
  withdrawn: say(
    () => 'The job was withdrawn by Preloop before it started.',
    'Nothing is left to do on this machine.',
  ),
  ...HOST_EXEC_WORDS,
};

function fieldText(facts: Facts, otherwise: string): string {
  const { field = optionText(facts), problem = 'is malformed' } = facts;
  return field === '' ? otherwise : `${field} ${problem}`;
}
function optionText({ option = '', value = '' }: Facts): string {
  return [option, value].filter((text) => text !== '').join(' ');
}
function detailText(facts: Facts): string {
  const detail = facts['detail']?.trim().replace(/\.$/, '') ?? '';
  return detail === '' ? '' : `: ${detail}`;
}
function exitText(facts: Facts): string {
  return facts['exitCode'] === undefined ? '' : ` (exit code ${facts['exitCode']})`;
}
function named(name: string | undefined): string {
  return name === undefined || name === '' ? '' : ` ${name}`;
}
function bracketed(name: string | undefined): string {
  return name === undefined || name === '' ? '' : ` (${name})`;
}
