/**
 * What frames carry of work: jobs, halts, and what a leased job asks for. Owns every check of a job's
 * payload and the words of each refusal; no text made here contains a value of the payload, save its
 * `launch_error`, which is the service's own explanation.
 */
import { toJobId, type JobId } from '../model/ids.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type {
  DockerLaunchSpec,
  HostExecSecrets,
  HostExecSpec,
  JobSecrets,
  UnrunnableSpec,
} from '../model/job-spec.ts';
import { reason, type Reason, type ReasonCode } from '../model/reason.ts';
import type { ServerFrame } from './frames.ts';
import {
  CURSOR_AGENT_TYPE,
  hostLeaseProblem,
  leasedTimeoutSeconds,
  NO_HOST_OFFERS,
  promptOf,
  type HostOffers,
} from './host-lease.ts';
import { imageOf, parseRunnerOptions } from './job-options.ts';
import { nestsDeeperThan } from './json-measure.ts';
import { checkEnvironment, checkLaunch } from './launch-check.ts';
import { repositoryOf } from './repository.ts';
import { containerEnvironment, sanitiseAgentConfig } from './launch.ts';

export type ParsedJob =
  | { readonly kind: 'docker'; readonly spec: DockerLaunchSpec; readonly secrets: JobSecrets }
  /** A Docker job listed again, as the service does once it was reported running. */
  | { readonly kind: 'repeat'; readonly jobId: JobId }
  /** A job that can never run here; `error` is the text of its verdict. */
  | {
      readonly kind: 'refused';
      readonly spec: UnrunnableSpec;
      readonly reason: Reason;
      readonly error: string;
      /** -1 for a host job, whose protocol wants it; left out: 0. */
      readonly exitCode?: number;
    }
  /** No usable job id: nothing can be reported. */
  | { readonly kind: 'unreadable'; readonly field: string; readonly problem: string };

/** A host job that this machine takes. */
export interface ParsedHostJob {
  readonly kind: 'host';
  readonly spec: HostExecSpec;
  readonly secrets: HostExecSecrets;
}

export type AnyJob = ParsedJob | ParsedHostJob;

/** Null where it has none that can be used. */
export function idIn(job: AnyJob): JobId | null {
  if (job.kind === 'unreadable') return null;
  return job.kind === 'repeat' ? job.jobId : job.spec.jobId;
}

/** `all`: every job of this runner, since no id was given. */
export interface Halts {
  readonly all: boolean;
  readonly ids: readonly string[];
}

/** The jobs of a frame, each once by its execution id; those without an id are all kept. */
export function jobsOf(frame: ServerFrame): readonly unknown[] {
  if (frame.type === 'logs_ack' || frame.type === 'error') return [];
  const seen = new Set<string>();
  return [frame.job, ...(frame.jobs ?? [])].filter((job) => {
    if (job === null || job === undefined) return false;
    const id = isJsonObject(job) ? job['execution_id'] : undefined;
    if (typeof id !== 'string' || id === '') return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** The halts of a frame, or null where it is none. Its jobs, if any, count as well. */
export function haltsOf(frame: ServerFrame): Halts | null {
  if (frame.type === 'logs_ack' || frame.type === 'error') return null;
  if (frame.type !== 'halt' && frame.halt !== true) return null;
  const named = [frame.halt_execution_id, ...(frame.halt_execution_ids ?? [])];
  const ids = [...new Set(named.map((id) => id?.trim() ?? '').filter((id) => id !== ''))];
  return { all: ids.length === 0, ids };
}

/**
 * What a leased job asks for. The order of the checks is part of the protocol: a missing image wins
 * over a broken launch. Throws only what `offers` throws, which a Docker job does not ask.
 *
 * @param serverUrl the service as this host reaches it; part of the container's environment
 * @param offers the profiles that host jobs may name; without it every host job is refused
 */
export function parseJob(raw: unknown, serverUrl: string): ParsedJob;
export function parseJob(
  raw: unknown,
  serverUrl: string,
  offers: () => HostOffers,
): ParsedJob | ParsedHostJob;
export function parseJob(
  raw: unknown,
  serverUrl: string,
  offers: () => HostOffers = () => NO_HOST_OFFERS,
): ParsedJob | ParsedHostJob {
  if (!isJsonObject(raw)) return { kind: 'unreadable', field: '', problem: 'is not an object' };
  const jobId = jobIdOf(raw);
  if (typeof jobId !== 'string') return jobId;
  const profile = hostProfileOf(raw);
  if (profile !== undefined) return parseHostJob(raw, jobId, profile, offers());
  return parseDockerJob(raw, jobId, serverUrl);
}

const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The exit code of a host job that did not start. */
const NEVER_STARTED = -1;
const FLOW_NAME_LIMIT = 200;
const AGENT_TYPE_LIMIT = 64;

function parseDockerJob(job: JsonObject, jobId: JobId, serverUrl: string): ParsedJob {
  const refuse = refuser(job, jobId, undefined);
  const badField = (field: string, problem: string): ParsedJob =>
    refuse('bad_payload', { field, problem }, `The job's ${field} ${problem}.`);

  const isPublication = (job['publication'] ?? null) !== null;
  if (!isPublication && (job['launch'] ?? null) === null && textOf(job['launch_error']) === '')
    return { kind: 'repeat', jobId };

  const agentConfig = job['agent_config'] ?? {};
  if (!isJsonObject(agentConfig)) return badField('agent_config', 'is not an object');
  for (const field of ['agent_config', 'git_clone_config', 'custom_commands'])
    if (nestsDeeperThan(job[field])) return badField(field, 'is nested too deeply');
  const options = parseRunnerOptions(agentConfig);
  if ('field' in options) {
    const { field, problem } = options;
    return refuse('options_invalid', { field, problem }, `The option ${field} ${problem}.`);
  }
  if (isPublication)
    return refuse(
      'kind_unsupported',
      { kind: 'isolated publication' },
      'Isolated publication is not offered by this runner.',
    );
  const image = imageOf(agentConfig);
  if (image === '')
    return refuse('image_unnamed', {}, 'The job names no image in agent_config.image.');
  const launch = checkLaunch(job);
  if (launch.kind === 'refused') return refuse(launch.code, launch.facts, launch.error);

  const resumeFrom = options.persistWorkspace ? (job['resume_from'] ?? '') : '';
  if (typeof resumeFrom !== 'string' || (resumeFrom !== '' && !UUID_PATTERN.test(resumeFrom)))
    return badField('resume_from', 'is not a UUID');
  if (options.persistWorkspace && !UUID_PATTERN.test(jobId))
    return badField('execution_id', 'is not a UUID, which a kept workspace needs');
  const environment = containerEnvironment(job, serverUrl);
  const unfit = checkEnvironment(environment);
  if (unfit !== undefined) return badField(unfit.field, unfit.problem);
  return {
    kind: 'docker',
    spec: {
      ...specBase(job, jobId),
      kind: 'docker_launch',
      agentType: launch.agentType,
      report: { kind: 'docker_v1' },
      image,
      options,
      resumeFrom: resumeFrom === '' ? null : resumeFrom,
      agentConfig: sanitiseAgentConfig(agentConfig),
    },
    secrets: { environment },
  };
}

function parseHostJob(
  job: JsonObject,
  jobId: JobId,
  profileName: string,
  offers: HostOffers,
): ParsedJob | ParsedHostJob {
  const unfit = hostLeaseProblem(job, offers);
  if (unfit !== undefined) {
    const refusal = refuser(job, jobId, profileName)(unfit.code, unfit.facts, unfit.error);
    return { ...refusal, exitCode: NEVER_STARTED };
  }
  return {
    kind: 'host',
    spec: {
      ...specBase(job, jobId),
      kind: 'host_exec',
      agentType: CURSOR_AGENT_TYPE,
      report: { kind: 'host_exec', profile: profileName },
      profileName,
      timeoutSeconds: leasedTimeoutSeconds(job),
    },
    secrets: { prompt: promptOf(job) },
  };
}

function jobIdOf(job: JsonObject): JobId | Extract<ParsedJob, { kind: 'unreadable' }> {
  const field = 'execution_id';
  const given = job[field];
  if (typeof given !== 'string' || given.trim() === '')
    return { kind: 'unreadable', field, problem: 'is not a text' };
  return (
    toJobId(given) ?? { kind: 'unreadable', field, problem: 'has characters no job id may have' }
  );
}

/** The profile of a host job, to be echoed as it is; undefined for a Docker job. */
function hostProfileOf(job: JsonObject): string | undefined {
  const profile = job['host_exec_profile'];
  if (typeof profile === 'string' && profile.trim() !== '') return profile;
  return job['completion_protocol'] === 'host_exec' ? '' : undefined;
}

function specBase(
  job: JsonObject,
  jobId: JobId,
): Pick<UnrunnableSpec, 'jobId' | 'flowId' | 'flowName' | 'repository' | 'modelIdentifier'> {
  return {
    jobId,
    flowId: textOf(job['flow_id']) || null,
    flowName: oneLine(textOf(job['flow_name'])) || null,
    repository: repositoryOf(job['git_clone_config']),
    modelIdentifier: textOf(job['model_identifier']) || null,
  };
}

/** A name as it may be shown: no control characters, bounded. */
function oneLine(name: string): string {
  return name
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, FLOW_NAME_LIMIT);
}

function refuser(
  job: JsonObject,
  jobId: JobId,
  profile: string | undefined,
): (
  code: ReasonCode,
  facts: Readonly<Record<string, string>>,
  error: string,
) => Extract<ParsedJob, { kind: 'refused' }> {
  return (code, facts, error) => ({
    kind: 'refused',
    spec: {
      ...specBase(job, jobId),
      kind: 'unrunnable',
      agentType: textOf(job['agent_type']).slice(0, AGENT_TYPE_LIMIT),
      report: profile === undefined ? { kind: 'docker_v1' } : { kind: 'host_exec', profile },
    },
    reason: reason(code, facts),
    error,
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
