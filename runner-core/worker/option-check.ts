/** Whether the owner allowed what a job's trusted options ask for. Pure. */
import { reason, type Reason } from '../model/reason.ts';
import type { RunnerOptions, TrustedOption } from '../model/job-spec.ts';
import { parseBind, plainPath } from './bind-mount.ts';

/** Networks of the engine that give a job nothing it has not anyway. */
const HARMLESS_NETWORKS: readonly string[] = ['none', 'bridge', 'default'];

/** Where engines keep the socket inside their machine, as a mount would name it. */
const SOCKET_PATHS = ['/var/run/docker.sock', '/run/docker.sock'];

/**
 * The first option that is not allowed, as a reason; null when all are. `networkIsForeign`: a network of
 * that name exists and does not carry our label.
 */
export function refusedOption(
  options: RunnerOptions,
  allowed: readonly TrustedOption[],
  networkIsForeign: boolean,
): Reason | null {
  const refuse = (option: TrustedOption, value: string): Reason | null =>
    allowed.includes(option) ? null : reason('permission_needed', { option, value });
  if (options.mountDockerSocket) {
    const refusal = refuse('docker_socket', SOCKET_PATHS[0] ?? '');
    if (refusal !== null) return refusal;
  }
  for (const mount of options.extraMounts) {
    const bind = parseBind(mount);
    if (bind === undefined)
      return reason('options_invalid', { option: 'extra_mounts', value: mount });
    const refusal =
      refuse('host_mount', mount) ??
      (reachesSocket(bind.source) ? refuse('docker_socket', mount) : null);
    if (refusal !== null) return refusal;
  }
  const { network } = options;
  if (network === null || HARMLESS_NETWORKS.includes(network)) return null;
  return isSharedNetwork(network) || networkIsForeign ? refuse('network', network) : null;
}

/** `host` and `container:…` share what is not the job's; neither can be looked up as a network. */
export function isSharedNetwork(network: string): boolean {
  return network === 'host' || network.startsWith('container:') || network.startsWith('ns:');
}

/** True for a network that has to be looked up, and made where there is none. */
export function isNamedNetwork(network: string | null): network is string {
  return network !== null && !HARMLESS_NETWORKS.includes(network) && !isSharedNetwork(network);
}

/** The socket itself or a folder around it: such a mount is the socket by another name. */
function reachesSocket(source: string): boolean {
  const path = plainPath(source);
  return SOCKET_PATHS.some(
    (socket) => socket === path || socket.startsWith(path === '/' ? '/' : `${path}/`),
  );
}
