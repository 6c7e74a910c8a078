/** What Health makes of what the host sends: days, commands, counts. */
import { expect, test } from 'vitest';
import type { EventView } from '../../main/contract/views.ts';
import { byDay } from '../../renderer/features/health/event-days.ts';
import { remedyCommand, remedyPieces } from '../../renderer/features/health/remedy-pieces.ts';
import { nextClock } from '../../renderer/features/shell/pauses.ts';
import { isErrorLine } from '../../renderer/log/error-line.ts';
import { words } from '../../renderer/words.ts';
import { fixtureEvents, fixtureHealth } from '../fixtures/page/health.ts';

const at = (day: number, hour: number, minute = 0): number =>
  new Date(2026, 10, day, hour, minute).getTime();
const event = (lastAtMs: number, atMs = lastAtMs): EventView => ({
  id: 1,
  kind: 'online',
  atMs,
  lastAtMs,
  times: 1,
  title: 'Online',
  detail: '',
});

test('an event belongs to the day it last happened on, whenever it began', () => {
  const days = byDay([event(at(17, 0, 1), at(15, 3)), event(at(16, 23, 59)), event(at(16, 0))]);
  expect(days.map(({ events }) => events.length)).toEqual([1, 2]);
});

test('the days are in the order of the events, and none is left out', () => {
  const events = fixtureEvents('typical', at(17, 14, 32));
  const days = byDay(events);
  expect(days.flatMap((day) => day.events)).toEqual(events);
  expect(new Set(days.map((day) => new Date(day.atMs).toDateString())).size).toBe(days.length);
});

test.each([
  ['Start it, for example with sudo systemctl start docker.', 'sudo systemctl start docker'],
  [
    'Add the user to the group docker (sudo usermod -aG docker $USER) and sign in again.',
    'sudo usermod -aG docker $USER',
  ],
  [
    'To have it at once: docker pull registry.example:5000/a/codex:2026.11',
    'docker pull registry.example:5000/a/codex:2026.11',
  ],
  ['Look at it with docker info. Then check again.', 'docker info'],
  ['Write `free_floor: 2 GiB` in settings.yaml.', 'free_floor: 2 GiB'],
])('the command in %j is %j', (remedy, command) => {
  expect(remedyCommand(remedy)).toBe(command);
  const shown = remedyPieces(remedy).map(({ text }) => text);
  expect(shown.join('')).toBe(remedy.replaceAll('`', ''));
});

test.each([
  'Install Docker Engine 20.10 or newer.',
  'Start Docker Desktop, or the product you use in its place.',
  'Check that the docker engine runs there.',
  'Write it as http://HOST:PORT.',
])('there is no command in %j', (remedy) => {
  expect(remedyCommand(remedy)).toBeNull();
});

test('the summary counts what passes, what needs a person and what is muted, each once', () => {
  const nowMs = at(17, 14);
  expect(words.health.summary(fixtureHealth('typical', nowMs))).toBe('11 pass.');
  expect(words.health.summary(fixtureHealth('unwell', nowMs))).toBe(
    '3 pass, 3 need attention, 1 is muted.',
  );
  expect(words.health.summary(fixtureHealth('waiting', nowMs))).toBe('8 pass, 1 needs attention.');
});

test('a pause until a time of day ends at its next coming, today or tomorrow', () => {
  expect(nextClock('18:00', at(17, 14, 32))).toBe(at(17, 18));
  expect(nextClock('14:32', at(17, 14, 32))).toBe(at(18, 14, 32));
  expect(nextClock('08:15', at(30, 14))).toBe(new Date(2026, 11, 1, 8, 15).getTime());
});

test('where output is missing the log is marked; a job that prints brackets is not', () => {
  expect(
    isErrorLine(
      '[runner] The disk of this machine was full: 12 lines with 900 bytes are missing here',
    ),
  ).toBe(true);
  expect(isErrorLine('[this line is lost: the log file on the runner host is damaged]')).toBe(true);
  expect(isErrorLine('[runner] The container was started')).toBe(false);
  expect(isErrorLine('[error] 3 tests failed')).toBe(false);
});
