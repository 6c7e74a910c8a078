import { describe, expect, test } from 'vitest';
import {
  FOLLOWING,
  newRecords,
  nextFollow,
  type FollowEvent,
  type FollowState,
} from '../../../renderer/log/follow.ts';

const READING: FollowState = { kind: 'reading', from: 100 };
const moved = (atEnd: boolean, up: boolean): FollowEvent => ({
  kind: 'moved',
  atEnd,
  up,
  total: 500,
});
const AWAY: FollowState = { kind: 'reading', from: 500 };

describe('every state and event', () => {
  test.each<[string, FollowState, FollowEvent, FollowState]>([
    ['following, moved up within the last row', FOLLOWING, moved(true, true), AWAY],
    ['following, moved up', FOLLOWING, moved(false, true), AWAY],
    ['following, moved down at the end', FOLLOWING, moved(true, false), FOLLOWING],
    ['following, sideways', FOLLOWING, moved(false, false), FOLLOWING],
    ['following, resumed', FOLLOWING, { kind: 'resumed' }, FOLLOWING],
    ['following, jumped', FOLLOWING, { kind: 'jumped', total: 500 }, AWAY],
    ['reading, moved up', READING, moved(false, true), READING],
    ['reading, moved up although the end shows', READING, moved(true, true), READING],
    ['reading, moved down', READING, moved(false, false), READING],
    ['reading, moved down to the end', READING, moved(true, false), FOLLOWING],
    ['reading, resumed', READING, { kind: 'resumed' }, FOLLOWING],
    ['reading, jumped', READING, { kind: 'jumped', total: 500 }, READING],
  ])('%s', (_name, state, event, next) => {
    expect(nextFollow(state, event)).toEqual(next);
  });
});

test('new records are counted from where the end left the view', () => {
  expect([newRecords(READING, 228), newRecords(READING, 100), newRecords(FOLLOWING, 228)]).toEqual([
    128, 0, 0,
  ]);
});
