import { describe, expect, test } from 'vitest';
import { parseEnvelopes, type ReportReading } from '../../../runner-core/wire/result-envelope.ts';
import { envelopePayload } from '../../support/envelope.ts';

const read = (envelope: unknown): ReportReading => parseEnvelopes([envelopePayload(envelope)], 1);
const result = { status: 'success' };

describe('one envelope', () => {
  test('is taken whole, the details of its result unchanged', () => {
    const details = { checks: ['unit'], text: 'é\u{1f600}', nested: [{ a: null }] };
    expect(
      read({ exit_code: 0, result: { status: 'pass', details }, evidence_upload: 'uploaded' }),
    ).toEqual({
      result: { status: 'pass', details },
      exitCode: 0,
      evidenceUpload: 'uploaded',
      confirmation: 'success',
      problem: null,
    });
  });

  test('tells a report of failure from one that confirms nothing', () => {
    expect(read({ exit_code: 0, result: { status: 'failed' } })).toMatchObject({
      confirmation: 'failure',
      problem: null,
    });
    expect(read({ exit_code: 0, result: { status: 'partial' } })).toMatchObject({
      result: { status: 'partial' },
      confirmation: null,
      problem: 'unknown_verdict',
    });
  });

  test('with an exit code other than 0 keeps its result', () => {
    expect(read({ exit_code: 3, result })).toMatchObject({
      result,
      exitCode: 3,
      problem: 'exit_mismatch',
    });
  });

  test.each<[string, unknown, string]>([
    ['without a result', { exit_code: 0 }, 'absent'],
    ['with null as result', { exit_code: 0, result: null }, 'absent'],
    ['with an empty result', { exit_code: 0, result: {} }, 'malformed'],
    [
      'with nothing but evidence in it',
      { exit_code: 0, result: { evidence_upload: 'x' } },
      'malformed',
    ],
    ['with a list as result', { exit_code: 0, result: [1] }, 'malformed'],
    ['without an exit code', { result }, 'malformed'],
    ['with null as exit code', { exit_code: null, result }, 'malformed'],
    ['with a text as exit code', { exit_code: '0', result }, 'malformed'],
    ['with half an exit code', { exit_code: 0.5, result }, 'malformed'],
    ['with a number as evidence', { exit_code: 0, result, evidence_upload: 7 }, 'malformed'],
    ['that is a list', [0], 'malformed'],
    ['that is not JSON', '{"exit_code":0', 'malformed'],
    [
      'that is nested too deeply',
      `{"exit_code":0,"result":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`,
      'malformed',
    ],
  ])('%s is no report', (_name, envelope, problem) => {
    expect(read(envelope)).toMatchObject({ result: null, confirmation: null, problem });
  });

  test.each([
    '',
    '%%%%',
    'e30',
    'e30=e30=',
    'e3\n0=',
    Buffer.from([0x7b, 0xff, 0x7d]).toString('base64'),
  ])('of %j cannot be decoded', (payload) => {
    expect(parseEnvelopes([payload], 1)).toMatchObject({ result: null, problem: 'malformed' });
  });

  test('may end with the carriage return of its line', () => {
    expect(parseEnvelopes([`${envelopePayload({ exit_code: 0, result })}\r`], 1).result).toEqual(
      result,
    );
  });

  test('loses only the evidence key of its result', () => {
    expect(
      read({ exit_code: 0, result: { ...result, evidence_upload: 'uploaded' } }),
    ).toMatchObject({
      result,
      evidenceUpload: null,
    });
  });
});

describe('the size of a result', () => {
  const padded = (text: string): unknown => ({ exit_code: 0, result: { status: 'pass', a: text } });
  /** `{"status": "pass", "a": ""}` as the service writes it. */
  const frameBytes = 27;

  test('may be the limit as the service measures it, and one byte more is too large', () => {
    const longest = 'x'.repeat(262_144 - frameBytes);
    expect(read(padded(longest)).problem).toBeNull();
    expect(read(padded(`${longest}x`))).toMatchObject({ result: null, problem: 'too_large' });
  });

  test('counts six bytes for a letter beyond ASCII', () => {
    const most = Math.floor((262_144 - frameBytes) / 6);
    expect(read(padded('é'.repeat(most))).problem).toBeNull();
    expect(read(padded('é'.repeat(most + 1))).problem).toBe('too_large');
  });

  test('is too large, not malformed, when the envelope itself passes its limits', () => {
    expect(read(padded('x'.repeat(263_168))).problem).toBe('too_large');
    expect(parseEnvelopes(['A'.repeat(526_340)], 1).problem).toBe('too_large');
  });
});

describe('the number of envelopes', () => {
  const whole = envelopePayload({ exit_code: 0, result, evidence_upload: 'absent' });

  test('none is no report', () => {
    expect(parseEnvelopes([], 0)).toEqual({
      result: null,
      exitCode: null,
      evidenceUpload: null,
      confirmation: null,
      problem: 'absent',
    });
  });

  test.each([
    ['identical ones', [whole, whole], 2],
    ['a good and a spoiled one', [whole, '%'], 2],
    ['more than were kept', [whole, whole], 9],
  ])('%s spoil the report but not the evidence', (_name, payloads, count) => {
    expect(parseEnvelopes(payloads, count)).toMatchObject({
      result: null,
      confirmation: null,
      evidenceUpload: 'absent',
      problem: 'duplicate',
    });
  });

  test('the last envelope that can be decoded tells the evidence, with or without a result', () => {
    const later = envelopePayload({ exit_code: 0, evidence_upload: 'uploaded' });
    expect(parseEnvelopes([whole, later], 2).evidenceUpload).toBe('uploaded');
    expect(parseEnvelopes([later, '%'], 2).evidenceUpload).toBe('uploaded');
  });
});

test.each([
  [' Uploaded ', 'uploaded'],
  ['FAILED', 'failed'],
  ['absent', 'absent'],
  ['done', 'failed'],
  [' ', null],
  [null, null],
  [undefined, null],
])('evidence %j is reported as %j', (evidence_upload, expected) => {
  expect(read({ exit_code: 0, result, evidence_upload }).evidenceUpload).toBe(expected);
});
