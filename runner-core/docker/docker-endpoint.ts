/**
 * Which engine to use, found as the Docker command line finds it, then at the places where the usual
 * products put their socket; and why that one. Owns the order and the words; what is at an address is
 * for the probe (`endpoint-probe.ts`).
 */
import { posix, win32 } from 'node:path';
import type { EngineAddress } from '../worker/protocol.ts';
import { configFile, configuredAddress, type Configured } from './configured-endpoint.ts';
import { OLDEST_API, type EngineVersion } from './docker-engine.ts';
import type { EndpointProbe, EngineChoice, EngineFailure, Env, Probed } from './engine-choice.ts';

export type { EndpointProbe, EngineChoice, EngineFailure, Env, Probed } from './engine-choice.ts';

interface Candidate {
  readonly address: EngineAddress;
  readonly why: string;
}

/**
 * The engine to use now. DOCKER_HOST wins over DOCKER_CONTEXT, that over the current context of Docker's
 * configuration; an engine somebody named is the only one tried. Without any of these the first
 * well-known socket that answers is taken. Never rejects.
 */
export async function resolveEngine(
  env: Env,
  homeDir: string,
  platform: NodeJS.Platform,
  probe: EndpointProbe,
): Promise<EngineChoice> {
  const named: Configured = await configuredAddress(env, homeDir, platform, probe);
  if (named.kind === 'unusable') return { ok: false, failure: named.failure };
  if (named.kind === 'address') {
    const found = await probe.probe(named.address);
    return judge(named, found, platform);
  }
  return searchSockets(env, homeDir, platform, probe);
}

async function searchSockets(
  env: Env,
  homeDir: string,
  platform: NodeJS.Platform,
  probe: EndpointProbe,
): Promise<EngineChoice> {
  let best: EngineFailure | undefined;
  for (const candidate of wellKnownSockets(env, homeDir, platform, probe.uid)) {
    const found = await probe.probe(candidate.address);
    if (found.kind === 'absent') continue;
    const choice = judge(candidate, found, platform);
    if (choice.ok) return choice;
    if (best === undefined || rank(choice.failure) > rank(best)) best = choice.failure;
  }
  if (best !== undefined) return { ok: false, failure: best };
  const installed = await looksInstalled(env, homeDir, platform, probe);
  return { ok: false, failure: installed ? notRunning(null, platform) : notInstalled(platform) };
}

const RANKS: readonly EngineFailure['kind'][] = [
  'not_installed',
  'not_running',
  'unreachable',
  'too_old',
  'no_permission',
  'waking_up',
];

/** The failure worth telling among several sockets: the one nearest to a working engine. */
function rank(failure: EngineFailure): number {
  return RANKS.indexOf(failure.kind);
}

function judge(candidate: Candidate, found: Probed, platform: NodeJS.Platform): EngineChoice {
  const where = describe(candidate.address);
  if (found.kind === 'engine') {
    const { engine } = found;
    if (olderThan(engine.apiVersion, OLDEST_API))
      return { ok: false, failure: tooOld(engine, where) };
    const identity = { id: found.id, at: where };
    return { ok: true, address: candidate.address, engine, identity, why: candidate.why };
  }
  return { ok: false, failure: failureOf(candidate, found, where, platform) };
}

function failureOf(
  candidate: Candidate,
  found: Exclude<Probed, { kind: 'engine' }>,
  where: string,
  platform: NodeJS.Platform,
): EngineFailure {
  if (found.kind === 'denied') return noPermission(where, platform);
  if (found.kind === 'waking') return wakingUp(where);
  if (candidate.address.kind === 'socket' && found.kind !== 'failed')
    return notRunning(where, platform);
  const detail = found.kind === 'failed' ? found.detail : 'nothing answers there';
  return {
    kind: 'unreachable',
    reason: `The Docker engine at ${where} (from ${candidate.why}) cannot be reached: ${detail}.`,
    remedy: 'Check that the engine runs there, or unset the setting that names it.',
    where,
  };
}

/**
 * Files that tell, without a connection to anything, that an engine came or that another is named: the
 * sockets that would be tried and Docker's configuration.
 */
export async function engineFiles(
  env: Env,
  homeDir: string,
  platform: NodeJS.Platform,
  probe: EndpointProbe,
): Promise<readonly string[]> {
  const named = await configuredAddress(env, homeDir, platform, probe);
  const sockets =
    named.kind === 'address'
      ? [named.address]
      : wellKnownSockets(env, homeDir, platform, probe.uid).map(({ address }) => address);
  const paths = sockets.flatMap((address) => (address.kind === 'socket' ? [address.path] : []));
  return [configFile(env, homeDir, platform), ...paths];
}

/** Sockets of the usual products, the system's own first. */
export function wellKnownSockets(
  env: Env,
  homeDir: string,
  platform: NodeJS.Platform,
  uid: number | null,
): readonly Candidate[] {
  const at = (path: string, product: string): Candidate => ({
    address: { kind: 'socket', path },
    why: `the socket of ${product}`,
  });
  if (platform === 'win32') {
    return [
      at('//./pipe/docker_engine', 'Docker'),
      at('//./pipe/dockerDesktopLinuxEngine', 'Docker Desktop'),
      at('//./pipe/podman-machine-default', 'Podman'),
    ];
  }
  const home = (...parts: string[]): string => posix.join(homeDir, ...parts);
  const colima = env['COLIMA_HOME'] ?? home('.colima');
  const shared = [
    at('/var/run/docker.sock', 'Docker'),
    at(home('.docker', 'run', 'docker.sock'), 'Docker Desktop'),
    at(posix.join(colima, 'default', 'docker.sock'), 'Colima'),
    at(home('.rd', 'docker.sock'), 'Rancher Desktop'),
  ];
  if (platform === 'darwin') {
    return [
      ...shared,
      at(home('.orbstack', 'run', 'docker.sock'), 'OrbStack'),
      at(home('.local/share/containers/podman/machine/podman.sock'), 'Podman'),
    ];
  }
  const runtime = env['XDG_RUNTIME_DIR'] ?? (uid === null ? undefined : `/run/user/${uid}`);
  const personal =
    runtime === undefined
      ? []
      : [
          at(posix.join(runtime, 'docker.sock'), 'rootless Docker'),
          at(posix.join(runtime, 'podman', 'podman.sock'), 'rootless Podman'),
        ];
  return [
    ...shared,
    at(home('.docker', 'desktop', 'docker.sock'), 'Docker Desktop'),
    ...personal,
    at('/run/podman/podman.sock', 'Podman'),
  ];
}

/** True where a program of an engine is on the search path or an application is in its usual place. */
async function looksInstalled(
  env: Env,
  homeDir: string,
  platform: NodeJS.Platform,
  probe: EndpointProbe,
): Promise<boolean> {
  const path = platform === 'win32' ? win32 : posix;
  const suffix = platform === 'win32' ? '.exe' : '';
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(path.delimiter).filter(Boolean);
  const programs = ['docker', 'dockerd', 'podman', 'colima', 'orb'];
  const places = folders.flatMap((folder) =>
    programs.map((program) => path.join(folder, program + suffix)),
  );
  if (platform === 'darwin') {
    const apps = ['Docker', 'OrbStack', 'Rancher Desktop'].map((app) => `/Applications/${app}.app`);
    places.push(...apps, posix.join(homeDir, 'Applications', 'Docker.app'));
  }
  if (platform === 'win32') places.push('C:\\Program Files\\Docker\\Docker\\Docker Desktop.exe');
  return (await Promise.all(places.map((place) => probe.exists(place)))).includes(true);
}

/** True when version `a` is below `b`, number by number. An unreadable version is not too old. */
function olderThan(a: string, b: string): boolean {
  const [aMajor = NaN, aMinor = NaN] = a.split('.').map(Number);
  const [bMajor = NaN, bMinor = NaN] = b.split('.').map(Number);
  return aMajor < bMajor || (aMajor === bMajor && aMinor < bMinor);
}

function describe(address: EngineAddress): string {
  return address.kind === 'socket' ? address.path : `${address.host}:${address.port}`;
}

function startRemedy(platform: NodeJS.Platform): string {
  return platform === 'linux'
    ? 'Start it, for example with sudo systemctl start docker.'
    : 'Start Docker Desktop, or the product you use in its place.';
}

function notRunning(where: string | null, platform: NodeJS.Platform): EngineFailure {
  const reason =
    where === null
      ? 'Docker is installed, but no engine is running.'
      : `No Docker engine is running at ${where}.`;
  return { kind: 'not_running', reason, remedy: startRemedy(platform), where };
}

function notInstalled(platform: NodeJS.Platform): EngineFailure {
  return {
    kind: 'not_installed',
    reason: 'No Docker engine was found on this machine.',
    remedy:
      platform === 'linux'
        ? 'Install Docker Engine 20.10 or newer.'
        : 'Install Docker Desktop, or a product that brings a Docker engine.',
    where: null,
  };
}

function noPermission(where: string, platform: NodeJS.Platform): EngineFailure {
  return {
    kind: 'no_permission',
    reason: `This user may not use the Docker engine at ${where}.`,
    remedy:
      platform === 'linux'
        ? 'Add the user to the group docker (sudo usermod -aG docker $USER) and sign in again.'
        : 'Give this user access to the engine in its settings.',
    where,
  };
}

function wakingUp(where: string): EngineFailure {
  return {
    kind: 'waking_up',
    reason: `The Docker engine at ${where} is starting and does not answer yet.`,
    remedy: 'Wait a moment. If it stays so for some minutes, restart it.',
    where,
  };
}

function tooOld(engine: EngineVersion, where: string): EngineFailure {
  return {
    kind: 'too_old',
    reason: `The Docker engine at ${where} is version ${engine.version} (API ${engine.apiVersion}).`,
    remedy: `Update it to 20.10 or newer (API ${OLDEST_API}).`,
    where,
  };
}
