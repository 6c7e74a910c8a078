/** The create body of a job's container. Pure; the one place that decides what a container may do. */
import type { CreateBody } from '../docker/docker-engine.ts';
import { labelsOf } from '../docker/labels.ts';
import type { DockerLaunchSpec } from '../model/job-spec.ts';
import { entrypointFor } from '../wire/launch.ts';
import { parseBind, plainPath } from './bind-mount.ts';
import type { EngineAddress, JobContext } from './protocol.ts';

export const WORKSPACE_TARGET = '/workspace';
const SOCKET_IN_CONTAINER = '/var/run/docker.sock';
const LOG_FILES = 2;
/** The log is cut by our own limit; the engine's is a last resort and has its prefixes to hold too. */
const LOG_BYTES_FACTOR = 3;

/**
 * Docker's default capabilities less those an agent has no use for: devices, raw sockets, the audit log,
 * and handing capabilities on. What package managers need (owners, modes, users, chroot) stays.
 */
const DROPPED_CAPABILITIES = ['AUDIT_WRITE', 'MKNOD', 'NET_RAW', 'SETPCAP'];

export interface ContainerPlan {
  readonly spec: DockerLaunchSpec;
  readonly context: JobContext;
  /** Goes into the body and nowhere else. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute folder on this machine to be /workspace; null: none is kept. */
  readonly workspaceDir: string | null;
  /** Id of the network the job names; null where it names none that has an id. */
  readonly networkId: string | null;
}

export function containerBody(plan: ContainerPlan): CreateBody {
  const { spec, context } = plan;
  const { entrypoint, cmd } = entrypointFor(spec);
  return {
    Image: spec.image,
    ...(entrypoint === null ? {} : { Entrypoint: entrypoint }),
    Cmd: cmd,
    Env: Object.entries(plan.environment)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
    Labels: labelsOf({ ...spec, ...context }),
    HostConfig: hostConfig(plan),
  };
}

/** `preloop-<job>-<short>`: the short part lets a job that is given again start beside its removed self. */
export function containerName(jobId: string, short: string): string {
  return `preloop-${jobId}-${short}`;
}

function hostConfig({
  spec,
  context,
  workspaceDir,
  networkId,
}: ContainerPlan): Record<string, unknown> {
  const { limits } = context;
  const { options } = spec;
  const networkMode = networkId ?? options.network;
  const binds = [
    ...(options.mountDockerSocket
      ? [`${socketOnEngineHost(context.engine)}:${SOCKET_IN_CONTAINER}`]
      : []),
    ...(workspaceDir === null ? [] : [`${workspaceDir}:${WORKSPACE_TARGET}`]),
    ...options.extraMounts.map(normalBind),
  ];
  return {
    ...(binds.length === 0 ? {} : { Binds: binds }),
    ...(networkMode === null ? {} : { NetworkMode: networkMode }),
    ...(providesWorkspace(options.extraMounts) || workspaceDir !== null
      ? {}
      : // Docker's own default is noexec and root's alone.
        { Tmpfs: { [WORKSPACE_TARGET]: 'rw,exec,mode=1777' } }),
    LogConfig: {
      Type: 'json-file',
      Config: {
        'max-size': String(LOG_BYTES_FACTOR * limits.logBytes),
        'max-file': String(LOG_FILES),
      },
    },
    // The job's verdict and log are read after the end: the engine must not remove it on its own.
    AutoRemove: false,
    RestartPolicy: { Name: 'no' },
    // As pid 1 Bash would be deaf to TERM and would leave zombies.
    Init: true,
    Privileged: false,
    CapDrop: DROPPED_CAPABILITIES,
    SecurityOpt: ['no-new-privileges'],
    ...(limits.memoryBytes ? { Memory: limits.memoryBytes, MemorySwap: limits.memoryBytes } : {}),
    ...(limits.cpus ? { NanoCpus: Math.round(limits.cpus * 1e9) } : {}),
    ...(limits.pids ? { PidsLimit: limits.pids } : {}),
  };
}

function providesWorkspace(mounts: readonly string[]): boolean {
  return mounts.some((mount) => {
    const target = parseBind(mount)?.target;
    return target !== undefined && plainPath(target) === WORKSPACE_TARGET;
  });
}

function normalBind(mount: string): string {
  const bind = parseBind(mount);
  if (bind === undefined) return mount;
  return `${bind.source}:${bind.target}:${bind.mode}`;
}

/** Products that run the engine in a virtual machine: their socket here is not the one in there. */
const IN_A_MACHINE = /\/\.(docker|colima|rd|orbstack)\/|\/machine\/|^\/\/\.\/pipe\//;

function socketOnEngineHost(engine: EngineAddress): string {
  const isHere = engine.kind === 'socket' && !IN_A_MACHINE.test(engine.path);
  return isHere ? engine.path : SOCKET_IN_CONTAINER;
}
