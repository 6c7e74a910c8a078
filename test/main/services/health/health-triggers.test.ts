/** What makes checks run without being asked for; nothing else does, however long the host is idle. */
import { expect, test } from 'vitest';
import type { CheckState } from '../../../../main/contract/views.ts';
import { fine } from '../../../../main/services/health/check.ts';
import { checkViewOf, healthView } from '../../../../main/services/health/health-view.ts';
import {
  FIRST_ROUND_MS,
  HealthTriggers,
  SERVICE_ROUND_MS,
} from '../../../../main/services/health/health-triggers.ts';
import type { SessionState } from '../../../../runner-core/model/session-state.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const WAY = 'name proxy certificate web live_connection clock';
const waiting = (cause: string, attempt = 1): SessionState => ({
  kind: 'waiting',
  sinceMs: 0,
  retryAtMs: 1,
  attempt,
  cause,
});
const ONLINE: SessionState = { kind: 'online', sinceMs: 0, capacity: 2 };

function bench() {
  const clock = new FakeClock();
  const made: string[] = [];
  let session: SessionState = ONLINE;
  let web: CheckState = 'ok';
  let skewMs: number | null = null;
  let commands = { inputs: 'no profile is on', isOffered: false };
  const triggers = new HealthTriggers({
    clock,
    session: () => session,
    shownSkewMs: () => skewMs,
    cursorInputs: () => commands.inputs,
    offersCommands: () => commands.isOffered,
    health: {
      runQuietly: () => Promise.resolve(void made.push('all')),
      refresh: (...checks) => Promise.resolve(void made.push(checks.join(' '))),
      view: () => {
        const finding = { ...fine('x'), state: web === 'skipped' ? ('failed' as const) : web };
        const found = { kind: 'found', finding, tookMs: 1 } as const;
        return healthView([checkViewOf('web', found, { isRunning: false, isMuted: false })], null);
      },
    },
  });
  return {
    clock,
    made,
    triggers,
    go: (state: SessionState, webIs: CheckState = 'ok') => {
      session = state;
      web = webIs;
      triggers.changed('session');
    },
    profiles: (inputs: string, isOffered: boolean, kind = 'profiles') => {
      commands = { inputs, isOffered };
      triggers.changed(kind);
    },
    drift: (ms: number) => {
      skewMs = ms;
      triggers.changed('session');
    },
  };
}

test('there is one round soon after the start, and in an idle day no other', async () => {
  const { clock, made, triggers } = bench();
  triggers.start();
  await clock.advance(FIRST_ROUND_MS - 1);
  expect(made).toEqual([]);
  await clock.advance(86_400_000);
  expect(made).toEqual(['all']);
  expect(clock.pending).toBe(0);
});

test('a host that ends before it makes none', async () => {
  const { clock, made, triggers } = bench();
  triggers.start();
  triggers.stop();
  await clock.advance(FIRST_ROUND_MS);
  expect(made).toEqual([]);
});

test('engine and storage look at their own, jobs and leftovers at nothing', () => {
  const { made, triggers } = bench();
  for (const kind of ['engine', 'storage', 'job', 'leftovers', 'health', 'events'])
    triggers.changed(kind);
  expect(made).toEqual(['docker images', 'disk store']);
});

test('a lost connection looks at the whole way, but not for each try or each flap', async () => {
  const { clock, made, go } = bench();
  go(waiting('reset'));
  for (let attempt = 2; attempt < 50; attempt++) {
    go({ kind: 'dialling', sinceMs: 0, attempt });
    go(waiting('reset', attempt));
  }
  expect(made).toEqual([WAY]);
  go(ONLINE);
  go(waiting('reset'));
  expect(made).toEqual([WAY, 'live_connection clock', 'live_connection clock']);
  await clock.advance(SERVICE_ROUND_MS);
  go(waiting('timed out'));
  expect(made.at(-1)).toBe(WAY);
});

test('what was found while away does not stay there once it is back', () => {
  const { made, go } = bench();
  go(waiting('reset'));
  go(ONLINE, 'failed');
  expect(made).toEqual([WAY, WAY]);
});

test('a clock that drifts is looked at without a request', () => {
  const { made, go, drift } = bench();
  go(ONLINE);
  made.length = 0;
  drift(41_000);
  drift(41_000);
  expect(made).toEqual(['live_connection clock']);
});

test('a profile that is turned on looks at Cursor once, and at Docker, which may be needed no longer', () => {
  const { made, profiles, go } = bench();
  go(ONLINE);
  made.length = 0;
  profiles('no profile is on', false);
  expect(made).toEqual([]);
  profiles('one is on', true, 'choice');
  profiles('one is on', true);
  expect(made).toEqual(['docker images', 'cursor']);
  profiles('one is on, signed in', true);
  expect(made.slice(2)).toEqual(['cursor']);
  profiles('no profile is on', false);
  expect(made.slice(3)).toEqual(['docker images', 'cursor']);
});
