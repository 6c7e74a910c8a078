/** The same checks where no host runs: from the data folder's settings and what its last host left there. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { endpointProbe } from '../../../runner-core/docker/endpoint-probe.ts';
import { resolveEngine } from '../../../runner-core/docker/docker-endpoint.ts';
import { NetworkError, type NetworkProblem } from '../../../runner-core/model/network-problem.ts';
import { toRunnerId } from '../../../runner-core/model/ids.ts';
import type { Clock, Log } from '../../../runner-core/ports.ts';
import type { HealthView } from '../../contract/views.ts';
import { reachService } from '../../control-plane/reach-service.ts';
import { ServiceRoute } from '../../control-plane/service-route.ts';
import { WebSocketControlPlane } from '../../control-plane/websocket-control-plane.ts';
import { dataPaths } from '../../data-dir.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../settings-schema.ts';
import { SettingsFile } from '../../settings-file.ts';
import { damageMark } from '../../store/set-aside.ts';
import { readFacts } from '../../store/read-only.ts';
import { DEFAULT_TEST_IMAGE } from '../test-job.ts';
import { SOUND_STORAGE, type StorageState } from '../views/storage-words.ts';
import { HostProfiles } from '../host-profiles.ts';
import { CursorProbe } from '../profiles/cursor-probe.ts';
import type { Checks } from './check.ts';
import { cursorCheck, offeredProfiles, type CursorSources } from './cursor-check.ts';
import { Health } from './health.ts';
import { engineOf, quickCheck } from './host-health.ts';
import { dialFinding } from './live-connection.ts';
import { lookUp } from './look-up.ts';
import { machineChecks } from './machine-checks.ts';
import { LAST_SERVER_SETTING } from './open-health.ts';
import { serviceChecks } from './service-checks.ts';

export interface AloneOptions {
  readonly dataDir: string;
  /** Null: that of the last start. */
  readonly server: string | null;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly osName: NodeJS.Platform;
  readonly log: Log;
}

/** A runner nobody has: whether the service opens sockets is asked without being one. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Throws SettingsFileError for a settings.yaml with which no host would start. */
export async function healthAlone(options: AloneOptions): Promise<HealthView> {
  const { clock, log } = options;
  const paths = dataPaths(options.dataDir);
  const facts = readFacts(paths.database);
  try {
    const checks = checksAlone(options, facts);
    const settings = { get: (name: string) => facts.setting(name), set: () => undefined };
    const health = new Health({
      clock,
      log,
      settings,
      checks: () => checks,
      changed: () => undefined,
    });
    return await health.run(null);
  } finally {
    facts.close();
  }
}

function checksAlone(options: AloneOptions, facts: ReturnType<typeof readFacts>): Checks {
  const { clock, log, environment, homeDir, osName, dataDir } = options;
  const paths = dataPaths(dataDir);
  const settings = settingsIn(paths.settings, log);
  const route = new ServiceRoute({
    clock,
    log,
    environment,
    settings: () => settings.network,
    skewChanged: () => undefined,
  });
  const lastServer = facts.setting(LAST_SERVER_SETTING) ?? '';
  const url = options.server ?? (lastServer === '' ? null : lastServer);
  const probe = endpointProbe(clock);
  const commands = commandsAlone(options, facts);
  return {
    ...serviceChecks({
      server: { url, embedded: url === null },
      proxy: (target) => route.proxy(target),
      lookUp: (host, signal) => lookUp(clock, host, signal),
      reach: (target, signal) => reachService(route, target, signal),
      live: async (signal) => dialFinding(await dialled(url ?? '', { clock, log, route, signal })),
      skew: () => route.skew.current,
    }),
    ...machineChecks({
      engine: () => resolveEngine(environment, homeDir, osName, probe),
      open: (choice) => engineOf(choice, clock),
      lastImage: () => facts.lastImage(),
      defaultImage: () => settings.testImage ?? (url === null ? DEFAULT_TEST_IMAGE : null),
      storage: () => storageOf(dataDir, paths.database, settings),
      store: (look) =>
        existsSync(paths.database)
          ? quickCheck(paths.database, look)
          : Promise.resolve({ kind: 'absent' }),
      jobs: () => facts.jobs(),
      localCommands: () => startable(commands),
    }),
    cursor: cursorCheck(commands),
  };
}

function commandsAlone(
  { clock, log, environment, homeDir, osName, dataDir }: AloneOptions,
  facts: ReturnType<typeof readFacts>,
): CursorSources {
  const profiles: HostProfiles = new HostProfiles({
    ...{ log, environment, homeDir, osName },
    facts: { get: (name) => facts.setting(name), set: () => undefined },
    workspacesDir: dataPaths(dataDir).hostWorkspacesDir,
    executables: {
      refusal: () => null,
      refresh: () => undefined,
      look: (executable) => probe.resolve(executable),
    },
    changed: () => undefined,
  });
  const probe: CursorProbe = new CursorProbe({
    clock,
    commands: profiles,
    enterTurn: (granted) => {
      granted();
      return () => undefined;
    },
    changed: () => undefined,
  });
  return { profiles, probe };
}

/** Nobody watches their executables here, so each is looked for. */
async function startable(commands: CursorSources): Promise<number> {
  const found = await Promise.all(
    offeredProfiles(commands)
      .flatMap(({ profile }) => profile ?? [])
      .map(({ executable }) => commands.probe.resolve(executable)),
  );
  return found.filter((command) => !('step' in command)).length;
}

type Wishes = Pick<Settings, 'network' | 'disk' | 'testImage'>;

/** The file is not made where it is missing: a look changes nothing. */
function settingsIn(path: string, log: Log): Wishes {
  if (!existsSync(path)) return DEFAULT_SETTINGS;
  const file = new SettingsFile(path, log);
  return { network: file.network(), disk: file.disk(), testImage: file.testImage() };
}

async function storageOf(
  dataDir: string,
  database: string,
  { disk }: Wishes,
): Promise<StorageState> {
  return {
    ...SOUND_STORAGE,
    freeBytes: await freeBytes(dataDir),
    floorBytes: disk.freeFloorBytes,
    budgetBytes: disk.budgetBytes,
    isDamaged: existsSync(damageMark(database)),
  };
}

/** Of the nearest folder that is there: before the first start the data folder is not. */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    const above = dirname(folder);
    return above === folder ? null : freeBytes(above);
  }
}

interface DialParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly route: ServiceRoute;
  readonly signal: AbortSignal;
}

/** Null: the service opened the socket. It refuses us afterwards, since we are nobody. */
async function dialled(serverUrl: string, parts: DialParts): Promise<NetworkProblem | null> {
  const runnerId = toRunnerId(NOBODY);
  if (runnerId === undefined) throw new Error('the id of nobody is no id');
  const identity = { runnerId, token: 'none', name: 'doctor' };
  const deaf = { frame: () => undefined, alive: () => undefined, closed: () => undefined };
  try {
    const plane = new WebSocketControlPlane({ ...parts, serverUrl });
    const session = await plane.open(identity, deaf, parts.signal);
    await session.close();
    return null;
  } catch (error) {
    if (error instanceof NetworkError) return error.problem;
    throw error;
  }
}
