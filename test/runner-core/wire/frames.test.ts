import { describe, expect, test } from 'vitest';
import { heartbeatSchema, parseServerFrame } from '../../../runner-core/wire/frames.ts';

const parse = (value: unknown): unknown => parseServerFrame(JSON.stringify(value));

describe('parseServerFrame', () => {
  test('a hello keeps what it knows and drops what it does not', () => {
    expect(
      parse({
        type: 'hello',
        runner_id: 'r',
        log_acknowledgements: true,
        concurrency: 2,
        later: 'x',
      }),
    ).toEqual({
      ok: true,
      frame: { type: 'hello', runner_id: 'r', log_acknowledgements: true, concurrency: 2 },
    });
  });

  test('null counts as absent in every field of a frame', () => {
    expect(
      parse({
        type: 'ack',
        concurrency: null,
        job: null,
        jobs: null,
        halt: null,
        halt_execution_id: null,
        halt_execution_ids: null,
        batch_id: null,
        error: null,
      }),
    ).toEqual({ ok: true, frame: { type: 'ack' } });
  });

  test.each(['hello', 'ack', 'logs_ack', 'job', 'halt', 'error'])(
    'an error on a frame of type %s is not lost',
    (type) => {
      const ids = { runner_id: 'r', execution_id: 'e', batch_id: 'b' };
      expect(parse({ type, error: 'gone', ...ids })).toMatchObject({
        ok: true,
        frame: { type, error: 'gone' },
      });
    },
  );

  test('a capacity of the wrong type does not cost the frame its jobs', () => {
    expect(parse({ type: 'ack', concurrency: 'two', jobs: [{ execution_id: 'a' }] })).toEqual({
      ok: true,
      frame: { type: 'ack', jobs: [{ execution_id: 'a' }] },
    });
  });

  test.each([
    ['text that is no JSON', '{', '', 'not JSON'],
    ['a list', '[]', '', 'not an object'],
    ['null', 'null', '', 'not an object'],
    ['a missing type', '{}', 'type', 'not a string'],
    ['a type that is no text', '{"type":7}', 'type', 'not a string'],
  ])('%s is malformed and says where', (_name, text, field, problem) => {
    expect(parseServerFrame(text)).toEqual({ ok: false, kind: 'malformed', field, problem });
  });

  test.each([
    ['hello', { runner_id: 7 }, 'runner_id'],
    ['ack', { jobs: {} }, 'jobs'],
    ['ack', { halt: 'yes' }, 'halt'],
    ['ack', { halt_execution_ids: ['a', 7] }, 'halt_execution_ids.1'],
    ['logs_ack', { execution_id: 'e' }, 'batch_id'],
    ['error', {}, 'error'],
  ])('in a %s frame, %j is malformed in field %s', (type, rest, field) => {
    expect(parse({ type, ...rest })).toMatchObject({ ok: false, kind: 'malformed', field });
  });

  test('the problem of a malformed field never repeats its value', () => {
    const parsed = parse({ type: 'hello', runner_id: { token: 'not-for-logs' } });
    expect(JSON.stringify(parsed)).not.toContain('not-for-logs');
  });

  test.each(['session_start', 'publication_verify', 'constructor', ''])(
    'a frame of type %j is unknown, not malformed',
    (type) => {
      expect(parse({ type })).toEqual({
        ok: false,
        kind: 'unknown_type',
        field: 'type',
        problem: 'unknown frame type',
      });
    },
  );
});

describe('heartbeatSchema', () => {
  test('reads each field on its own: one of the wrong type counts as absent', () => {
    expect(
      heartbeatSchema.parse({
        type: 'heartbeat',
        concurrency: true,
        ephemeral: true,
        host_exec_profiles: [],
        harness_inventory_hash: 5,
      }),
    ).toEqual({ type: 'heartbeat', ephemeral: true, host_exec_profiles: [] });
  });

  test('tells null profiles, which clear, from absent ones, which do not', () => {
    expect(heartbeatSchema.parse({ type: 'heartbeat', host_exec_profiles: null })).toEqual({
      type: 'heartbeat',
      host_exec_profiles: null,
    });
    expect(heartbeatSchema.parse({ type: 'heartbeat' })).toEqual({ type: 'heartbeat' });
  });
});
