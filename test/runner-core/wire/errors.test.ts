import { expect, test } from 'vitest';
import {
  EXECUTION_GONE,
  INVALID_COMPLETION_STATUS,
  INVALID_LOG_BATCH,
  PUBLICATION_REJECTED,
  refusalOf,
  unknownTypeError,
} from '../../../runner-core/wire/errors.ts';

test.each([
  ['unauthorized', 'unauthorized'],
  ['gone', 'gone'],
  ['Runner was deleted', 'deleted'],
  ['Runner token was rotated', 'rotated'],
  ['Runner connection was replaced', 'replaced'],
])('the error %s is final', (error, refusal) => {
  expect(refusalOf(error)).toBe(refusal);
});

test.each([
  INVALID_LOG_BATCH,
  INVALID_COMPLETION_STATUS,
  EXECUTION_GONE,
  PUBLICATION_REJECTED,
  unknownTypeError('session_state'),
  'Unauthorized',
  '',
])('the error %j heals by dialling again', (error) => {
  expect(refusalOf(error)).toBeNull();
});
