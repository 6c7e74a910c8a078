/** The chips over the list: what a person asks for, as the states it means. Pure. */
import { JOB_STATES, type JobStateName } from '../../../main/contract/views.ts';
import { words } from '../../words.ts';

export interface Chip {
  readonly text: string;
  /** Empty for all. */
  readonly states: readonly JobStateName[];
}

export const CHIPS: readonly Chip[] = [
  { text: words.jobs.all, states: [] },
  { text: words.jobs.running, states: ['accepted', 'starting', 'running', 'stopping'] },
  { text: words.jobs.succeeded, states: ['succeeded'] },
  { text: words.jobs.failed, states: ['failed', 'timed_out'] },
  { text: words.jobs.stopped, states: ['stopped'] },
  { text: words.jobs.lost, states: ['lost'] },
];

export function countOf(chip: Chip, counts: Readonly<Record<JobStateName, number>>): number {
  const states = chip.states.length === 0 ? JOB_STATES : chip.states;
  return states.reduce((sum, state) => sum + counts[state], 0);
}

export function isChosen(chip: Chip, states: readonly JobStateName[]): boolean {
  return chip.states.length === states.length && chip.states.every((one) => states.includes(one));
}
