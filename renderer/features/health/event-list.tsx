/** What happened to connection, engine and machine: newest first, by day, each with its time. */
import { useState, type JSX } from 'react';
import { EVENTS_SHOWN, type EventKind, type EventView } from '../../../main/contract/views.ts';
import { Button } from '../../components/button.tsx';
import { Glyph } from '../../components/icon.tsx';
import { useNow } from '../../components/use-now.ts';
import {
  formatClock,
  formatClockSeconds,
  formatDay,
  formatInstant,
  isSameDay,
  relativeDay,
} from '../../format.ts';
import { useTopic } from '../../host-client/use-topic.ts';
import { words } from '../../words.ts';
import { byDay } from './event-days.ts';

/** As many as a screen holds; the rest on demand. */
const FIRST = 20;

const GLYPHS: Readonly<Record<EventKind, string>> = {
  started: 'next',
  online: 'online',
  connection_lost: 'offline',
  refused: 'attention',
  taken_over: 'attention',
  gone_offline: 'offline',
  back_online: 'online',
  woke: 'waiting',
  paused: 'paused',
  resumed: 'online',
  docker_found: 'online',
  docker_lost: 'attention',
  disk_low: 'attention',
  disk_recovered: 'online',
  store_set_aside: 'attention',
  leftovers_removed: 'next',
};

export function EventList(): JSX.Element {
  const { view, problem } = useTopic('events', { limit: EVENTS_SHOWN });
  const [all, showAll] = useState(false);
  const shown = all ? (view?.events ?? []) : (view?.events.slice(0, FIRST) ?? []);
  const text = words.health;
  return (
    <section className="events" aria-labelledby="events">
      <div className="sec-head">
        <h2 id="events" className="grow">
          {text.events}
        </h2>
        {view === undefined || view.total <= shown.length ? null : (
          <span className="small t3">{text.eventsShown(shown.length, view.total)}</span>
        )}
      </div>
      {view === undefined ? (
        <Unread problem={problem?.message ?? null} />
      ) : view.events.length === 0 ? (
        <div className="empty">
          <b>{text.noEvents}</b>
          {text.noEventsBody}
        </div>
      ) : (
        <Days events={shown} />
      )}
      {view === undefined || view.events.length <= FIRST ? null : (
        <Button onClick={() => showAll(!all)}>
          {all ? text.eventsFewer(FIRST) : text.eventsAll(view.events.length)}
        </Button>
      )}
    </section>
  );
}

function Unread({ problem }: { readonly problem: string | null }): JSX.Element {
  if (problem === null) return <div aria-busy="true" />;
  return (
    <div className="empty" role="alert">
      <b>{words.health.eventsFailed}</b>
      {problem}
    </div>
  );
}

function Days({ events }: { readonly events: readonly EventView[] }): JSX.Element {
  const nowMs = useNow(60_000);
  return (
    <>
      {byDay(events).map((day) => (
        <section key={day.atMs} aria-label={dayWords(day.atMs, nowMs)}>
          <h3 className="event-day">{dayWords(day.atMs, nowMs)}</h3>
          <ol>
            {day.events.map((event) => (
              <Row key={event.id} event={event} nowMs={nowMs} />
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

function dayWords(atMs: number, nowMs: number): string {
  const relative = relativeDay(atMs, nowMs);
  return relative === null ? formatDay(atMs) : words.jobs[relative];
}

function Row({ event, nowMs }: { readonly event: EventView; readonly nowMs: number }): JSX.Element {
  const { kind, atMs, lastAtMs, times, title, detail } = event;
  const first = isSameDay(atMs, lastAtMs) ? formatClock(atMs) : formatInstant(atMs, nowMs);
  const again = times > 1 ? words.health.again(event, first) : '';
  const more = [detail, again].filter((part) => part !== '').join('; ');
  return (
    <li className="event">
      <span className={`st st-${GLYPHS[kind]}`}>
        <Glyph name={GLYPHS[kind]} size={12} />
      </span>
      <time dateTime={new Date(lastAtMs).toISOString()} title={formatInstant(lastAtMs, nowMs)}>
        {formatClockSeconds(lastAtMs)}
      </time>
      <div className="grow">
        <b>{title}</b>
        {more === '' ? null : <div className="t2 small event-more">{more}</div>}
      </div>
    </li>
  );
}
