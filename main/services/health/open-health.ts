/** Health and timeline of one host, put together: both look at the same parts and change with the same news. */
import type { Listener } from '../../../runner-core/listener/listener.ts';
import type { Clock, Log, RunnerIdentity } from '../../../runner-core/ports.ts';
import { shownSkewMs } from '../../control-plane/clock-skew.ts';
import type { ServiceRoute } from '../../control-plane/service-route.ts';
import type { HostChange, HostView } from '../../host-shape.ts';
import type { SettingsFile } from '../../settings-file.ts';
import type { HostDatabase } from '../../store/database.ts';
import { EventTable } from '../../store/event-table.ts';
import { setAsideWords } from '../../store/set-aside.ts';
import type { SettingsStore } from '../../store/settings-store.ts';
import type { SqliteJobStore } from '../../store/sqlite-job-store.ts';
import { VERSION } from '../../version.ts';
import type { EngineWatch } from '../engine-watch.ts';
import type { Leftovers } from '../leftovers.ts';
import type { OwnerChoice } from '../owner-choice.ts';
import type { TakenBy } from '../take-over.ts';
import type { UnexpectedEnd } from '../unexpected.ts';
import type { StorageWatch } from '../storage-watch.ts';
import { engineEvent } from '../timeline/events-between.ts';
import { Timeline } from '../timeline/timeline.ts';
import { HealthTriggers } from './health-triggers.ts';
import { cursorInputs, offeredProfiles, type CursorSources } from './cursor-check.ts';
import { Health } from './health.ts';
import { hostChecks } from './host-health.ts';

/** The service of the last start, or none: `doctor` without a host checks the way to it. */
export const LAST_SERVER_SETTING = 'last_server';

export interface HealthParts {
  readonly clock: Clock;
  readonly log: Log & { clean(text: string): string };
  readonly database: HostDatabase;
  readonly databasePath: string;
  readonly facts: SettingsStore;
  readonly store: SqliteJobStore;
  readonly settings: SettingsFile;
  readonly listener: Pick<Listener, 'session'>;
  readonly engines: EngineWatch;
  readonly storage: StorageWatch;
  readonly route: ServiceRoute;
  readonly kept: Pick<Leftovers, 'view'>;
  readonly choice: Pick<OwnerChoice, 'pause' | 'offlineSinceMs'>;
  readonly plane: { readonly url: string } | null;
  readonly serverUrl: string;
  readonly identity: () => RunnerIdentity | null;
  readonly machineName: string;
  readonly takenBy: () => TakenBy | null;
  readonly lastEnd: UnexpectedEnd | null;
  readonly enrolment: () => HostView['enrolment'];
  readonly commands: CursorSources;
  readonly tell: (change: HostChange) => void;
}

export interface OpenHealth {
  readonly health: Health;
  readonly timeline: Timeline;
  changed(change: HostChange): void;
  stop(): void;
}

export function openHealth(parts: HealthParts): OpenHealth {
  const { clock, log, facts, listener, engines, storage, route, choice, kept, plane, tell } = parts;
  rememberServer(facts, plane === null ? parts.serverUrl : '', log);
  const name = (): string => parts.identity()?.name ?? parts.machineName;
  const health = new Health({
    clock,
    log,
    settings: facts,
    changed: () => tell({ kind: 'health' }),
    checks: () =>
      hostChecks({
        ...parts,
        database: parts.databasePath,
        server: () => ({ url: plane?.url ?? parts.serverUrl, embedded: plane !== null }),
        live: () => ({
          session: listener.session,
          name: name(),
          takenBy: parts.takenBy(),
          enrolment: parts.enrolment(),
          offlineSinceMs: choice.offlineSinceMs,
        }),
        testImage: () => parts.settings.testImage(),
      }),
  });
  const triggers = new HealthTriggers({
    clock,
    health,
    session: () => listener.session,
    shownSkewMs: () => shownSkewMs(route.skew.current),
    cursorInputs: () => cursorInputs(parts.commands),
    offersCommands: () => offeredProfiles(parts.commands).length > 0,
  });
  const timeline = new Timeline({
    clock,
    log,
    table: new EventTable(parts.database),
    redact: (text) => log.clean(text),
    changed: () => tell({ kind: 'events' }),
    situation: () => ({
      name: name(),
      session: listener.session,
      offlineSinceMs: choice.offlineSinceMs,
      pause: choice.pause,
      engine: engines.choice,
      storage: storage.state,
      removed: kept.view().removed,
    }),
  });
  noteStart(timeline, engines, storage, parts.lastEnd);
  timeline.look();
  triggers.start();
  return {
    health,
    timeline,
    changed: ({ kind }) => {
      if (kind === 'health' || kind === 'events') return;
      if (kind !== 'job') timeline.look();
      triggers.changed(kind);
    },
    stop: () => {
      triggers.stop();
      health.stop();
      timeline.stop();
    },
  };
}

/** Only a convenience: a disk that refuses it must not keep the host from starting. */
function rememberServer(facts: SettingsStore, server: string, log: Log): void {
  try {
    if (facts.get(LAST_SERVER_SETTING) !== server) facts.set(LAST_SERVER_SETTING, server);
  } catch (error) {
    log.warn('server not remembered', { error });
  }
}

function noteStart(
  timeline: Timeline,
  engines: EngineWatch,
  storage: StorageWatch,
  lastEnd: UnexpectedEnd | null,
): void {
  const { setAside } = storage.state;
  const { choice } = engines;
  timeline.note(
    {
      kind: 'started',
      detail: `version ${VERSION}${lastEnd === null ? '' : `, after a fault of its own: ${lastEnd.what}`}`,
    },
    ...(setAside === null
      ? []
      : [{ kind: 'store_set_aside' as const, detail: setAsideWords(setAside).state }]),
    ...(choice?.ok === false ? [engineEvent(choice)] : []),
  );
}
