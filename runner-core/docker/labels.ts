/** Names of the labels on everything we make in an engine, and what they say. Shared by worker and host. */

const PREFIX = 'ai.preloop.runner-host';

/** Labels are how a fresh database still finds its containers: never rename one. */
export const LABEL = {
  execution: `${PREFIX}.execution`,
  runner: `${PREFIX}.runner`,
  /** The host instance that made it, changed by every installation. */
  host: `${PREFIX}.host`,
  /** The job kind, for example docker_launch. */
  kind: `${PREFIX}.kind`,
  agent: `${PREFIX}.agent`,
} as const;

/** What docker compose puts on everything of a project. */
export const COMPOSE_PROJECT_LABEL = 'com.docker.compose.project';

export interface OwnerOfThings {
  readonly jobId: string;
  readonly runnerId: string;
  readonly hostInstance: string;
  readonly kind: string;
  readonly agentType: string;
}

/** Whose things are ours: the host's, or, after the loss of what it knew of itself, its runner's. */
export interface Owner {
  readonly hostInstance: string;
  readonly runnerId: string | null;
}

export function isMadeBy(
  labels: Readonly<Record<string, string>>,
  { hostInstance, runnerId }: Owner,
): boolean {
  if (labels[LABEL.execution] === undefined) return false;
  const isOfRunner = (runnerId ?? '') !== '' && labels[LABEL.runner] === runnerId;
  return isOfRunner || labels[LABEL.host] === hostInstance;
}

/** The labels of one job's container or network. */
export function labelsOf(owner: OwnerOfThings): Readonly<Record<string, string>> {
  return {
    [LABEL.execution]: owner.jobId,
    [LABEL.runner]: owner.runnerId,
    [LABEL.host]: owner.hostInstance,
    [LABEL.kind]: owner.kind,
    [LABEL.agent]: owner.agentType,
  };
}
