import { expect, test } from 'vitest';
import { failed, fine } from '../../../../main/services/health/check.ts';
import {
  dialFinding,
  sessionFinding,
  type LiveInput,
} from '../../../../main/services/health/live-connection.ts';
import { refusalSentence } from '../../../../main/services/views/sentence.ts';
import { REFUSALS } from '../../../../runner-core/model/session-state.ts';

const AT = Date.UTC(2026, 11, 1, 8, 41);
const look = (given: Partial<LiveInput>) =>
  sessionFinding({
    session: { kind: 'online', sinceMs: AT, capacity: 2 },
    name: 'laptop',
    enrolment: null,
    offlineSinceMs: null,
    timeZone: 'UTC',
    ...given,
  });
const waiting = { kind: 'waiting', sinceMs: AT, retryAtMs: AT + 1, attempt: 2 } as const;

test('an open session says since when', () => {
  expect(look({})).toEqual(fine('Open since 08:41.'));
});

test('a session that waits fails with its cause, and with the remedy of a cause on the way', () => {
  const cause = 'no frame for 45 s';
  expect(look({ session: { ...waiting, cause } })).toMatchObject({
    state: 'failed',
    said: 'No frame for 45 s.',
  });
  const problem = { code: 'answered', status: 404 } as const;
  expect(look({ session: { ...waiting, cause, problem } })).toMatchObject({
    state: 'failed',
    said: 'The service answered 404 instead of opening the socket.',
  });
});

test.each(REFUSALS)('refused as %s fails in the words of the Overview', (refusal) => {
  const { state, consequence, remedy } = refusalSentence(refusal, 'laptop');
  expect(look({ session: { kind: 'refused', sinceMs: AT, refusal } })).toEqual(
    failed(`${state} ${consequence}`, `${remedy?.label ?? ''}.`),
  );
});

test('a machine that is not enrolled fails with why', () => {
  const enrolment = { problem: 'this machine is not enrolled', remedy: 'Set PRELOOP_TOKEN' };
  expect(look({ session: { kind: 'signed_out', sinceMs: AT }, enrolment })).toEqual(
    failed('This machine is not enrolled.', 'Set PRELOOP_TOKEN.'),
  );
});

test('a first dial is not yet anything, a later one a warning', () => {
  const dialling = { kind: 'dialling', sinceMs: AT } as const;
  expect(look({ session: { ...dialling, attempt: 0 } }).state).toBe('unchecked');
  expect(look({ session: { ...dialling, attempt: 3 } }).state).toBe('warning');
});

test('offline by choice is no fault', () => {
  expect(look({ session: { kind: 'closed', sinceMs: AT }, offlineSinceMs: AT })).toMatchObject({
    state: 'not_applicable',
    said: 'You went offline at 08:41.',
  });
});

test('a dial without a host says whether sockets are opened, and why not', () => {
  expect(dialFinding(null).state).toBe('ok');
  expect(dialFinding({ code: 'answered', status: 403 })).toMatchObject({ state: 'failed' });
});
