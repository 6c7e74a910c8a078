/** The runner's state in words: first true wins. */
import { expect, test } from 'vitest';
import { hostState, pauseOrResume, rackCells, rackWords } from '../../renderer/host-state.ts';
import { FIXTURES, type FixtureState } from '../fixtures/page/states.ts';

const NOW_MS = new Date('2026-11-17T14:32:00').getTime();
const overviewOf = (state: FixtureState) => FIXTURES[state](NOW_MS).overview;

test.each<readonly [FixtureState, string, string, string]>([
  ['typical', 'online', 'Online, taking jobs', '2 of 4 slots busy'],
  ['empty', 'online', 'Online, idle', '2 slots free'],
  ['overfull', 'running', 'Online, all busy', '32 of 32 slots busy'],
  ['paused', 'paused', 'Paused until 18:00', '1 job finishing'],
  ['draining', 'paused', 'Finishing 2 jobs', '2 jobs finishing'],
  ['offline', 'offline', 'Offline since 13:05', '1 job finishing'],
  ['waiting', 'offline', 'Offline since 14:02', '1 of 4 slots busy'],
  ['refused', 'attention', 'Needs you', 'Slots closed'],
  ['docker-down', 'attention', 'Needs Docker', 'Slots closed'],
])('%s is shown as %s: %s, %s', (state, glyph, text, rack) => {
  const overview = overviewOf(state);
  expect(hostState(overview)).toEqual({ glyph, text });
  expect(rackWords(overview)).toBe(rack);
});

test('without Docker a profile that is on is enough: the slots are open, and nobody is asked for Docker', () => {
  const overview = { ...overviewOf('docker-down'), localCommands: 1 };
  expect(hostState(overview)).toEqual({ glyph: 'online', text: 'Online, local commands' });
  expect(rackCells(overview)).not.toContain('closed');
});

test('the rack shows busy slots first, and closes the others while nothing is taken', () => {
  expect(rackCells(overviewOf('typical'))).toEqual(['busy', 'busy', 'free', 'free']);
  expect(rackCells(overviewOf('paused'))).toEqual(['busy', 'closed', 'closed', 'closed']);
});

test('a job that a pause holds back is not said to finish', () => {
  const overview = overviewOf('draining');
  const held = overview.held.map((slot, index) => ({ ...slot, waitsForResume: index === 0 }));
  expect(rackWords({ ...overview, held })).toBe('1 job finishing, 1 job not started');
  expect(rackWords({ ...overview, held: held.slice(0, 1) })).toBe('1 job not started');
});

test('what is paused can be resumed, what takes jobs can be paused, what is closing neither', () => {
  const states: readonly FixtureState[] = ['paused', 'typical', 'waiting', 'draining', 'offline'];
  expect(states.map((state) => pauseOrResume(overviewOf(state)))).toEqual([
    'resume',
    'pause',
    'pause',
    null,
    null,
  ]);
});
