/**
 * The timeline: connection and engine events of this host, kept in the store. Owns how they are noted and shown;
 * what is an event is `events-between.ts`. Noting one never fails whoever noticed it.
 */
import type { Clock, Log } from '../../../runner-core/ports.ts';
import type { EventKind, EventView } from '../../contract/views.ts';
import type { TopicView } from '../../contract/topics.ts';
import type { EventTable, NewEvent, StoredEvent } from '../../store/event-table.ts';
import { eventsBetween, type Situation } from './events-between.ts';

const LONGEST_DETAIL = 300;

export interface TimelineDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly table: Pick<EventTable, 'add' | 'newest' | 'total'>;
  /** As it is now. */
  readonly situation: () => Situation;
  /** What has to be left out of any detail, such as a token that a service repeats. */
  readonly redact?: (text: string) => string;
  readonly changed: () => void;
}

export class Timeline {
  readonly #deps: TimelineDeps;
  #before: Situation;
  #isStopped = false;

  /** What was so before this start is no event; what differs from now on is. */
  constructor(deps: TimelineDeps) {
    this.#deps = deps;
    const before = deps.situation();
    // The session may have opened already; that it did is one.
    const session = { kind: 'signed_out', sinceMs: before.session.sinceMs } as const;
    this.#before = { ...before, session };
  }

  /** Something may have changed: notes what did. */
  look(): void {
    if (this.#isStopped) return;
    const now = this.#deps.situation();
    const found = eventsBetween(this.#before, now);
    // A try to have the connection back does not end its being away.
    const isTry = now.session.kind === 'dialling';
    this.#before = isTry ? { ...now, session: this.#before.session } : now;
    if (found.length > 0) this.note(...found);
  }

  note(...events: readonly NewEvent[]): void {
    if (this.#isStopped) return;
    const { clock, log, table, changed } = this.#deps;
    try {
      for (const { kind, detail } of events)
        table.add({ kind, detail: this.#plain(detail) }, clock.nowMs());
      changed();
    } catch (error) {
      // A full disk: what is going on is shown all the same, only not kept.
      log.warn('event not kept', { kinds: events.map(({ kind }) => kind), error });
    }
  }

  view(limit: number): TopicView<'events'> {
    const { table } = this.#deps;
    return { events: table.newest(limit).map(eventView), total: table.total() };
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Causes may repeat what a service said: one line that steers no terminal and is not long. */
  #plain(detail: string): string {
    const line = detail.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
    return (this.#deps.redact?.(line) ?? line).slice(0, LONGEST_DETAIL);
  }
}

const TITLES: Readonly<Record<EventKind, string>> = {
  started: 'Started',
  online: 'Online',
  connection_lost: 'Connection lost',
  refused: 'Refused',
  taken_over: 'Taken over',
  gone_offline: 'Gone offline',
  back_online: 'Back online',
  woke: 'Woke up',
  paused: 'Paused',
  resumed: 'Resumed',
  docker_found: 'Docker found',
  docker_lost: 'Docker lost',
  disk_low: 'Disk low',
  disk_recovered: 'Disk recovered',
  store_set_aside: 'Store set aside',
  leftovers_removed: 'Leftovers removed',
};

function eventView(event: StoredEvent): EventView {
  return { ...event, title: TITLES[event.kind] };
}
