/** How much is held of what the agent said; what counts as said again is in `conversation.test.ts`. */
import { expect, test } from 'vitest';
import {
  KEPT_MAX_CHARS,
  SEGMENTS_MAX,
  SpokenTexts,
} from '../../../runner-core/model/spoken-texts.ts';

/** A segment in two deltas, and the tool call that ends it. */
function say(spoken: SpokenTexts, text: string): void {
  const half = Math.ceil(text.length / 2);
  spoken.take(text.slice(0, half), true);
  spoken.take(text.slice(half), true);
  spoken.segment();
}

test('of many segments the youngest are known again, and a bounded number of them is held', () => {
  const spoken = new SpokenTexts();
  const count = 5 * SEGMENTS_MAX;
  const segment = (index: number): string => `This is segment ${index} of the run.`;
  for (let index = 0; index < count; index++) {
    say(spoken, segment(index));
    expect(spoken.take(segment(index), false)).toBeNull();
    expect(spoken.take(segment(Math.max(0, index - SEGMENTS_MAX)), false)).toBeNull();
  }
  expect(spoken.held).toEqual({ segments: SEGMENTS_MAX, chars: segment(count - 1).length });
  expect(spoken.take(segment(count - 1 - SEGMENTS_MAX), false)).toBeNull();
  expect(spoken.take(segment(count - 2 - SEGMENTS_MAX), false)?.isNew).toBe(true);
});

test('a segment said once more is young again', () => {
  const spoken = new SpokenTexts();
  say(spoken, 'The first of all segments.');
  for (let index = 0; index < SEGMENTS_MAX - 1; index++) say(spoken, `Segment ${index}.`);
  say(spoken, 'The first of all segments.');
  say(spoken, 'Another.');
  say(spoken, 'And another.');
  expect(spoken.take('The first of all segments.', false)).toBeNull();
});

test('a text of any length is known again, piece for piece, though only its beginning is held', () => {
  const spoken = new SpokenTexts();
  const piece = 'All work and no play. '.repeat(100);
  const pieces = Math.ceil((8 * KEPT_MAX_CHARS) / piece.length);
  for (let sent = 0; sent < pieces; sent++) spoken.take(piece, true);
  expect(spoken.held.chars).toBe(KEPT_MAX_CHARS);
  const whole = piece.repeat(pieces);
  expect(spoken.take(whole, false)).toBeNull();
  expect(spoken.take(whole, true)).toBeNull();
  expect(spoken.hasSaid(whole)).toBe(true);
  expect(spoken.hasSaid(`${whole}!`)).toBe(false);
  expect(spoken.take(`${whole}And more.`, false)).toMatchObject({ isNew: false });
  expect(spoken.hasSaid(`${whole}And more.`)).toBe(true);
  expect(spoken.held.chars).toBe(KEPT_MAX_CHARS);
});

test('all segments together are known again however many they were', () => {
  const spoken = new SpokenTexts();
  let all = '';
  for (let index = 0; index < 3 * SEGMENTS_MAX; index++) {
    say(spoken, `Segment ${index} of them.`);
    all += `Segment ${index} of them.`;
  }
  expect(spoken.hasSaid(all)).toBe(true);
  expect(spoken.take(all, false)).toBeNull();
  spoken.turn();
  expect(spoken.hasSaid(all)).toBe(false);
  expect(spoken.held).toEqual({ segments: 0, chars: 0 });
});
