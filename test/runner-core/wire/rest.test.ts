import { describe, expect, test } from 'vitest';
import { registerResponseSchema, runnerRowSchema } from '../../../runner-core/wire/rest.ts';

const row = {
  id: '9a1de0f4-52b7-4b1c-8e7e-3c0a4f2f7d11',
  name: 'build-box-3',
  hostname: 'build-box-3',
  labels: ['gpu'],
  ephemeral: false,
  status: 'online',
  last_heartbeat: '2026-10-20T08:15:30.120000Z',
  concurrency: 2,
  reported_concurrency: 2,
  capacity: 2,
  running_count: 0,
  running_execution_ids: [],
};

describe('registerResponseSchema', () => {
  test('reads the service’s answer and leaves out what a runner does not need', () => {
    const answer = {
      ...row,
      token: 't',
      account_id: 'a',
      capabilities: { host_exec_profiles: [] },
    };
    expect(registerResponseSchema.parse(answer)).toEqual({ ...row, token: 't' });
  });

  test('is content with id, name and token', () => {
    const answer = { id: 'i', name: 'n', token: 't' };
    expect(registerResponseSchema.parse(answer)).toEqual(answer);
  });

  test.each([
    ['an empty token', { id: 'i', name: 'n', token: '' }],
    ['no token', { id: 'i', name: 'n' }],
    ['an empty id', { id: '', name: 'n', token: 't' }],
  ])('does not take %s', (_name, answer) => {
    expect(registerResponseSchema.safeParse(answer).success).toBe(false);
  });
});

test('a runner row may have null for all that was never reported', () => {
  const empty = { hostname: null, last_heartbeat: null, reported_concurrency: null, labels: null };
  expect(runnerRowSchema.parse({ ...row, ...empty })).toMatchObject(empty);
});
