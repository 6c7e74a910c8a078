/** The checks of a host that runs: they read what its own parts know, and ask anew only where a person asked. */
import { dockerEngine } from '../../../runner-core/docker/dockerode-engine.ts';
import type { EngineChoice } from '../../../runner-core/docker/engine-choice.ts';
import type { Clock } from '../../../runner-core/ports.ts';
import { reachService } from '../../control-plane/reach-service.ts';
import type { ServiceRoute } from '../../control-plane/service-route.ts';
import { checkDatabase } from '../../store/database-check.ts';
import type { SqliteJobStore } from '../../store/sqlite-job-store.ts';
import type { EngineWatch } from '../engine-watch.ts';
import type { StorageWatch } from '../storage-watch.ts';
import { DEFAULT_TEST_IMAGE } from '../test-job.ts';
import type { Checks, LookOptions } from './check.ts';
import { sessionFinding, type LiveInput } from './live-connection.ts';
import { lookUp } from './look-up.ts';
import { cursorCheck, offeredProfiles, type CursorSources } from './cursor-check.ts';
import { machineChecks, type StoreVerdict } from './machine-checks.ts';
import { serviceChecks, type Server } from './service-checks.ts';

export interface HostHealthParts {
  readonly clock: Clock;
  readonly server: () => Server;
  readonly route: ServiceRoute;
  readonly live: () => LiveInput;
  readonly engines: Pick<EngineWatch, 'look' | 'choice'>;
  readonly storage: Pick<StorageWatch, 'look' | 'state'>;
  readonly store: Pick<SqliteJobStore, 'listing'>;
  readonly testImage: () => string | null;
  readonly database: string;
  readonly commands: CursorSources;
}

/** Jobs looked through for one that named an image. */
const NEWEST_JOBS = 24;
const ALL = { shown: [], text: '' };

export function hostChecks(parts: HostHealthParts): Checks {
  const { clock, route, engines, storage, store } = parts;
  const server = parts.server();
  return {
    ...serviceChecks({
      server,
      proxy: (target) => route.proxy(target),
      lookUp: (host, signal) => lookUp(clock, host, signal),
      reach: (target, signal) => reachService(route, target, signal),
      live: () => sessionFinding(parts.live()),
      skew: () => route.skew.current,
    }),
    ...machineChecks({
      engine: async ({ isAsked }) => {
        const known = engines.choice;
        return isAsked || known === null ? await engines.look() : known;
      },
      open: (choice) => engineOf(choice, clock),
      lastImage: () =>
        store.listing.page(ALL, 0, NEWEST_JOBS).find(({ image }) => image !== null)?.image ?? null,
      defaultImage: () =>
        server.embedded ? (parts.testImage() ?? DEFAULT_TEST_IMAGE) : parts.testImage(),
      storage: async ({ isAsked }) => {
        if (isAsked) await storage.look();
        return storage.state;
      },
      store: (options) =>
        options.isAsked ? quickCheck(parts.database, options) : Promise.resolve({ kind: 'in_use' }),
      jobs: () => store.listing.total(ALL),
      localCommands: () => Promise.resolve(offeredProfiles(parts.commands).length),
    }),
    cursor: cursorCheck(parts.commands),
  };
}

export function engineOf(choice: EngineChoice, clock: Clock) {
  return choice.ok ? dockerEngine(choice.address, clock) : null;
}

/** In a thread of its own, which ends with the host. */
export async function quickCheck(path: string, { signal }: LookOptions): Promise<StoreVerdict> {
  const check = checkDatabase(path, false);
  const stop = (): void => void check.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await check.verdict;
  } finally {
    signal.removeEventListener('abort', stop);
    await check.stop();
  }
}
