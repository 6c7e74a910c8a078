/** What a person is told before the runner ends and leaves its jobs: the same on the page, in the tray and in a terminal. */
import { expect, test } from 'vitest';
import { quitQuestion } from '../../../electron/words.ts';
import { doingWords } from '../../../main/cli/quit.ts';
import { heldKinds, leaveWords } from '../../../main/contract/leave-words.ts';
import { words } from '../../../renderer/words.ts';

const { leave } = words.dialogs.quit.ways;

test('held jobs are counted by what runs them', () => {
  const held = [{ profile: null }, { profile: 'cursor-review' }, { profile: null }];
  expect(heldKinds(held)).toEqual({ containers: 2, commands: 1 });
});

test('containers alone go on', () => {
  const one = { containers: 1, commands: 0 };
  expect(leaveWords(one)).toContain('Its container goes on');
  expect(leave.text(one)).toBe('Leave running');
  expect(quitQuestion(one)).toMatchObject({
    message: 'Quit while a job runs?',
    detail:
      'Left running, its container goes on, and the next start takes it up again. No line is lost.',
    buttons: ['Finish it, then quit', 'Stop it and quit', 'Quit, leave it running', 'Stay'],
  });
  expect(doingWords('leave', one)).toBe('Leaving 1 job running, then quitting');
});

test('of both kinds, what is stopped is said beside what goes on', () => {
  const both = { containers: 1, commands: 2 };
  const said =
    '1 container goes on, and the next start takes it up again without losing a line. ' +
    '2 local commands cannot go on alone: they are stopped, and Preloop is told so.';
  expect(leave.body(both)).toBe(said);
  expect(leave.text(both)).toBe('Leave containers running');
  expect(leave.act(both)).toBe('Quit, leave containers running');
  expect(quitQuestion(both)).toMatchObject({
    message: 'Quit while 3 jobs run?',
    detail: `Left running, ${said}`,
    buttons: [
      'Finish them, then quit',
      'Stop them and quit',
      'Quit, leave containers running',
      'Stay',
    ],
  });
  expect(doingWords('leave', both)).toBe(
    'Leaving 1 job running, stopping 2 local commands, then quitting',
  );
});

test('a local command alone is never said to go on', () => {
  const one = { containers: 0, commands: 1 };
  const said = '1 local command cannot go on alone: it is stopped, and Preloop is told so.';
  expect(leave.body(one)).toBe(said);
  expect(quitQuestion(one).detail).toBe(said);
  expect(doingWords('leave', one)).toBe('Stopping 1 local command, then quitting');
  expect(doingWords('stop', one)).toBe('Stopping 1 job, then quitting');
  expect(doingWords('drain', one)).toBe('Finishing 1 job, then quitting');
});
