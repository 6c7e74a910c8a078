/**
 * What happened between two looks at the host. Pure. A detail says nothing that differs from one time to the next,
 * such as a duration: what repeats is then counted, not listed.
 */
import type { EngineChoice } from '../../../runner-core/docker/engine-choice.ts';
import type { SessionState } from '../../../runner-core/model/session-state.ts';
import type { LeftoversView, PauseView } from '../../contract/views.ts';
import type { NewEvent } from '../../store/event-table.ts';
import { refusalSentence } from '../views/sentence.ts';
import { storageSentence, type StorageState } from '../views/storage-words.ts';

export interface Situation {
  readonly name: string;
  readonly session: SessionState;
  readonly offlineSinceMs: number | null;
  readonly pause: PauseView | null;
  readonly engine: EngineChoice | null;
  readonly storage: StorageState;
  /** Newest first. */
  readonly removed: LeftoversView['removed'];
}

export function eventsBetween(before: Situation, now: Situation): readonly NewEvent[] {
  return [
    ...ofChoice(before, now),
    ...ofSession(before, now),
    ...ofPause(before.pause, now.pause),
    ...ofEngine(before.engine, now.engine),
    ...ofDisk(before.storage, now.storage),
    ...ofLeftovers(before.removed, now.removed),
  ];
}

function ofChoice(before: Situation, now: Situation): readonly NewEvent[] {
  const [wasOffline, isOffline] = [before.offlineSinceMs !== null, now.offlineSinceMs !== null];
  if (wasOffline === isOffline) return [];
  return [{ kind: isOffline ? 'gone_offline' : 'back_online', detail: 'by the owner' }];
}

function ofSession(before: Situation, now: Situation): readonly NewEvent[] {
  const [was, is] = [before.session, now.session];
  switch (is.kind) {
    case 'online':
      return was.kind === 'online' && was.sinceMs === is.sinceMs
        ? []
        : [{ kind: 'online', detail: '' }];
    case 'waiting':
      // Still away for the same cause.
      return was.kind === 'waiting' && was.cause === is.cause
        ? []
        : [{ kind: 'connection_lost', detail: is.cause }];
    case 'refused': {
      if (was.kind === 'refused' && was.refusal === is.refusal) return [];
      const { state, consequence } = refusalSentence(is.refusal, now.name);
      return [
        {
          kind: is.refusal === 'replaced' ? 'taken_over' : 'refused',
          detail: `${state} ${consequence}`,
        },
      ];
    }
    case 'signed_out':
    case 'dialling':
    case 'closed':
      return [];
  }
}

function ofPause(before: PauseView | null, now: PauseView | null): readonly NewEvent[] {
  const was = before?.active === true ? pauseWords(before) : null;
  const is = now?.active === true ? pauseWords(now) : null;
  if (was === is) return [];
  return is === null ? [{ kind: 'resumed', detail: '' }] : [{ kind: 'paused', detail: is }];
}

/** Without the note, which is the owner's own. */
function pauseWords({ when, onBattery, untilMs }: PauseView): string {
  const words = [
    ...(onBattery ? ['while on battery'] : []),
    ...(untilMs === null ? ['until resumed'] : ['for a time']),
    ...(when === 'after_jobs' ? ['running jobs finish'] : []),
  ];
  return words.join(', ');
}

function ofEngine(before: EngineChoice | null, now: EngineChoice | null): readonly NewEvent[] {
  const [was, is] = [
    before === null ? null : engineEvent(before),
    now === null ? null : engineEvent(now),
  ];
  if (is === null || (was?.kind === is.kind && was.detail === is.detail)) return [];
  // Found at the start as it always is: nothing happened.
  return was === null && is.kind === 'docker_found' ? [] : [is];
}

export function engineEvent(choice: EngineChoice): NewEvent {
  return choice.ok
    ? { kind: 'docker_found', detail: `${choice.engine.version}, found by ${choice.why}` }
    : { kind: 'docker_lost', detail: choice.failure.reason };
}

function ofDisk(before: StorageState, now: StorageState): readonly NewEvent[] {
  const [was, is] = [storageSentence(before) !== null, storageSentence(now) !== null];
  if (was === is && before.isFull === now.isFull) return [];
  if (!is) return [{ kind: 'disk_recovered', detail: '' }];
  return [
    { kind: 'disk_low', detail: now.isFull ? 'the disk is full' : 'below the free-space floor' },
  ];
}

const WHY: Readonly<Record<LeftoversView['removed'][number]['why'], string>> = {
  unowned: 'its job had ended',
  kept_over: 'its time was over',
  owner: 'removed by hand',
};

/** Which ones is listed with the leftovers. */
function ofLeftovers(
  before: LeftoversView['removed'],
  now: LeftoversView['removed'],
): readonly NewEvent[] {
  const newest = before[0];
  const known = newest === undefined ? -1 : now.findIndex((entry) => sameRemoval(entry, newest));
  const fresh = newest === undefined || known < 0 ? now : now.slice(0, known);
  return fresh.toReversed().map(({ kind, why }) => ({
    kind: 'leftovers_removed',
    detail: `${kind.replace('_', ' ')}, ${WHY[why]}`,
  }));
}

function sameRemoval(
  one: LeftoversView['removed'][number],
  other: LeftoversView['removed'][number],
): boolean {
  return one.atMs === other.atMs && one.name === other.name && one.kind === other.kind;
}
