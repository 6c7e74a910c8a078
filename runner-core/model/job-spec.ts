/** What a job asks for, without its secrets and without its prompt. This is what the store keeps. */
import type { JobId } from './ids.ts';
import type { JsonObject } from './json.ts';

export const DOCKER_AGENT_TYPES = ['codex', 'opencode', 'pi', 'deepseek'] as const;
export type DockerAgentType = (typeof DOCKER_AGENT_TYPES)[number];

/** Options that reach outside the job's own container; refused until the owner allows them for a flow. */
export const TRUSTED_OPTIONS = ['docker_socket', 'host_mount', 'network'] as const;
export type TrustedOption = (typeof TRUSTED_OPTIONS)[number];

/** `agent_config.runner`, parsed. `network` null: the engine's default bridge. */
export interface RunnerOptions {
  readonly mountDockerSocket: boolean;
  readonly persistWorkspace: boolean;
  readonly network: string | null;
  /** `host:container[:ro|rw]`, both absolute. */
  readonly extraMounts: readonly string[];
  readonly preserveEntrypoint: boolean;
}

/** The protocol fields a `complete` must echo; fixed by what was leased, for every status. */
export type ReportProtocol =
  { readonly kind: 'docker_v1' } | { readonly kind: 'host_exec'; readonly profile: string };

interface SpecBase {
  readonly jobId: JobId;
  readonly flowId: string | null;
  /** What people call the flow; null where the service does not say (the hosted one does not). At most 200 characters. */
  readonly flowName: string | null;
  readonly agentType: string;
  /** `host/owner/name` of what is cloned first; for showing. Without user, query and `.git`; null for none. */
  readonly repository: string | null;
  readonly modelIdentifier: string | null;
  readonly report: ReportProtocol;
}

export interface DockerLaunchSpec extends SpecBase {
  readonly kind: 'docker_launch';
  readonly agentType: DockerAgentType;
  readonly image: string;
  readonly options: RunnerOptions;
  readonly resumeFrom: string | null;
  /** `agent_config` with secret-looking keys dropped. */
  readonly agentConfig: JsonObject;
}

/** A local command that the owner fixed in a profile. The profile itself stays here; a lease only names it. */
export interface HostExecSpec extends SpecBase {
  readonly kind: 'host_exec';
  readonly agentType: 'cursor';
  /** As leased, to be echoed; it may differ from the profile's own spelling in case and outer spaces. */
  readonly profileName: string;
  /** Of the job, whole seconds; null: none. Can only shorten the profile's. `modelIdentifier` is the model asked for. */
  readonly timeoutSeconds: number | null;
}

/** A job that can never run here; it is kept so that its verdict is reported and repeated. */
export interface UnrunnableSpec extends SpecBase {
  readonly kind: 'unrunnable';
}

export type JobSpec = DockerLaunchSpec | HostExecSpec | UnrunnableSpec;

/** What only memory may hold: the complete container environment, script and prompt included. */
export interface JobSecrets {
  readonly environment: Readonly<Record<string, string>>;
}

/** What only memory may hold of a host job. */
export interface HostExecSecrets {
  readonly prompt: string;
}

/** The owner's limits. 0 or null: no limit of ours. */
export interface JobLimits {
  readonly memoryBytes: number | null;
  readonly cpus: number | null;
  readonly pids: number | null;
  /** From the container's start. Default 24 h. */
  readonly timeLimitMs: number;
  /** Bytes of text kept of one job's log; what follows is counted and left out. Default 1 GiB. */
  readonly logBytes: number;
}
