/** The timeline on a real database: what repeats is counted, old ones make room, nothing that happens to it spreads. */
import { expect, test } from 'vitest';
import { TOPICS } from '../../../../main/contract/topics.ts';
import { Timeline, type TimelineDeps } from '../../../../main/services/timeline/timeline.ts';
import { SOUND_STORAGE } from '../../../../main/services/views/storage-words.ts';
import { EventTable, MOST_EVENTS, SAME_WITHIN_MS } from '../../../../main/store/event-table.ts';
import type { SessionState } from '../../../../runner-core/model/session-state.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { StoreBench } from '../../../support/store-bench.ts';

const waiting = (attempt: number): SessionState => ({
  kind: 'waiting',
  sinceMs: 0,
  retryAtMs: 1,
  attempt,
  cause: 'the connection was reset',
});

function bench(given: Partial<TimelineDeps> = {}) {
  const store = new StoreBench();
  const clock = new FakeClock(1_000);
  const log = new RecordedLog();
  let session: SessionState = { kind: 'dialling', sinceMs: 0, attempt: 0 };
  let changes = 0;
  const timeline = new Timeline({
    clock,
    log,
    table: new EventTable(store.database),
    situation: () => ({
      name: 'laptop',
      session,
      offlineSinceMs: null,
      pause: null,
      engine: null,
      storage: SOUND_STORAGE,
      removed: [],
    }),
    changed: () => (changes += 1),
    ...given,
  });
  const go = (state: SessionState): void => {
    session = state;
    timeline.look();
  };
  const shown = (limit = 200) =>
    timeline.view(limit).events.map(({ title, detail, times }) => `${title} ${detail} x${times}`);
  return { store, clock, log, timeline, go, shown, changes: () => changes };
}

test('a connection that comes and goes three hundred times is two rows that count', async () => {
  const { clock, go, shown, timeline, store } = bench();
  // Nothing here is about power cuts.
  store.database.pragma('synchronous = OFF');
  for (let time = 0; time < 300; time++) {
    go({ kind: 'online', sinceMs: clock.nowMs(), capacity: 1 });
    await clock.advance(30_000);
    go(waiting(1));
    for (const attempt of [2, 3]) {
      go({ kind: 'dialling', sinceMs: 0, attempt });
      go(waiting(attempt));
    }
  }
  expect(shown()).toEqual(['Connection lost the connection was reset x300', 'Online  x300']);
  const [lost] = timeline.view(1).events;
  expect(lost).toMatchObject({ atMs: 31_000, lastAtMs: 9_001_000 });
});

test('the same after a quiet while is an event of its own', async () => {
  const { clock, timeline, shown } = bench();
  timeline.note({ kind: 'woke', detail: '' });
  await clock.advance(SAME_WITHIN_MS + 1);
  timeline.note({ kind: 'woke', detail: '' });
  expect(shown()).toEqual(['Woke up  x1', 'Woke up  x1']);
});

test('a session that was open before the timeline began is told', () => {
  const session: SessionState = { kind: 'online', sinceMs: 3, capacity: 1 };
  const store = new StoreBench();
  const { timeline, shown } = bench({
    table: new EventTable(store.database),
    situation: () => ({
      name: 'laptop',
      session,
      offlineSinceMs: null,
      pause: null,
      engine: null,
      storage: SOUND_STORAGE,
      removed: [],
    }),
  });
  timeline.look();
  expect(shown()).toEqual(['Online  x1']);
});

test('only the newest are kept, and a page shows no more than it asked for', () => {
  const { store, timeline } = bench();
  const table = new EventTable(store.database);
  store.database.transaction(() => {
    for (let n = 0; n < MOST_EVENTS; n++) table.add({ kind: 'refused', detail: `cause ${n}` }, n);
  })();
  timeline.note({ kind: 'paused', detail: 'for a time' }, { kind: 'resumed', detail: '' });
  const view = TOPICS.events.view.parse(timeline.view(3));
  expect(view.total).toBe(MOST_EVENTS);
  expect(view.events.map(({ kind, detail }) => `${kind} ${detail}`)).toEqual([
    'resumed ',
    'paused for a time',
    'refused cause 999',
  ]);
  expect(table.newest(MOST_EVENTS).at(-1)?.detail).toBe('cause 2');
});

test('events outlive the host, and one of a newer version is left out', () => {
  const { store, timeline } = bench();
  timeline.note({ kind: 'started', detail: 'version 1.0.0' });
  store.database
    .prepare("INSERT INTO event (kind, detail, at_ms, last_at_ms) VALUES ('warped', '', 1, 1)")
    .run();
  store.close();
  store.open();
  const again = new EventTable(store.database);
  expect(again.newest(10).map(({ kind }) => kind)).toEqual(['started']);
});

test('what a service says is kept on one short line, without control signs and secrets', () => {
  const { timeline, shown } = bench({ redact: (text) => text.replace('tok-123', '[hidden]') });
  const detail = `closed by the service (1008:\u001b[31m\n bad tok-123 ${'x'.repeat(400)})`;
  timeline.note({ kind: 'connection_lost', detail });
  const [line = ''] = shown();
  expect(line).toMatch(
    /^Connection lost closed by the service \(1008: \[31m bad \[hidden\] x+ x1$/,
  );
  expect(line.length).toBeLessThan(330);
});

test('a disk that refuses costs the event and nothing else', () => {
  const { timeline, log, changes, store } = bench();
  store.database.pragma('query_only = ON');
  timeline.note({ kind: 'woke', detail: '' });
  expect(log.events()).toEqual(['event not kept']);
  expect(changes()).toBe(0);
  store.database.pragma('query_only = OFF');
});

test('after the end nothing is noted', () => {
  const { timeline, go, shown } = bench();
  timeline.stop();
  go(waiting(1));
  timeline.note({ kind: 'woke', detail: '' });
  expect(shown()).toEqual([]);
});
