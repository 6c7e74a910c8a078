/** Published vectors of the protocol, and the small rules next to them. */
import { describe, expect, test } from 'vitest';
import { canonicalHash, canonicalJson } from '../../control-plane/canonical-json.ts';
import {
  logLineId,
  newConnectionId,
  newToken,
  parseUuid,
  sameHash,
  tokenHash,
} from '../../control-plane/identifiers.ts';
import { isoInstant, isoNaive, spanText } from '../../control-plane/instants.ts';
import { asciiJsonBytes } from '../../runner-core/wire/result-report.ts';

const EXECUTION = '5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c01';
const BATCH = '0b9d7c52-3f64-4a18-8e2d-6c1a5f4e3d20';
const INVENTORY = [
  {
    harness: 'cursor_cli',
    display_name: 'Cursor CLI',
    version: '2.4.0',
    login_state: 'signed_in',
    login_source: 'cli_status',
    governance: 'partial',
    support_level: 'flows_only',
    enabled: true,
    sessions_enabled: false,
    session_mode: 'none',
    billing: 'seat',
    account_host: null,
    models: [{ id: 'auto', source: 'static' }],
    generated_profile: 'cursor',
    capabilities: ['host_exec', 'cursor_cli', 'stdout', 'cancel'],
  },
];

describe('vectors', () => {
  test('a token is stored as its SHA-256', () => {
    expect(tokenHash('abcDEF123_-exampleTokenNotReal000000000000')).toBe(
      'aff323ef5b2250e2d54e276cac6d2b2d4eda320a4c0ae8dbc011995d2672ee7d',
    );
  });

  test('a log line is named after its batch and its place in it', () => {
    expect(logLineId(EXECUTION, BATCH, 0)).toBe('45c4aa65-bde6-5f9d-995f-5e9efa9e156f');
    expect(logLineId(EXECUTION, BATCH, 1)).toBe('94f06669-fad5-5007-a7ef-a79fb3e0b8d8');
  });

  test('an inventory has one canonical text and hash, nulls left out', () => {
    expect(canonicalJson(INVENTORY)).toBe(
      '[{"billing":"seat","capabilities":["host_exec","cursor_cli","stdout","cancel"],"display_name":"Cursor CLI","enabled":true,"generated_profile":"cursor","governance":"partial","harness":"cursor_cli","login_source":"cli_status","login_state":"signed_in","models":[{"id":"auto","source":"static"}],"session_mode":"none","sessions_enabled":false,"support_level":"flows_only","version":"2.4.0"}]',
    );
    expect(canonicalHash(INVENTORY)).toBe(
      '396e402d8f60da9daa97bc6cc976bd9de86a04431dc160c41bf2948410f5ae98',
    );
  });

  test('a result is measured as ASCII JSON with blanks after commas and colons', () => {
    expect(asciiJsonBytes({ a: 'é' })).toBe(15);
    expect(asciiJsonBytes({ a: '' })).toBe(9);
  });

  test('the queue timeout is printed as 0:15:00', () => {
    expect(spanText(900)).toBe('0:15:00');
    expect(spanText(36_061)).toBe('10:01:01');
  });
});

test('canonical text does not depend on the order of keys, and sorts them by code point', () => {
  expect(canonicalJson({ b: 1, a: { d: [true, null], c: 'é' } })).toBe(
    canonicalJson({ a: { c: 'é', d: [true, null] }, b: 1 }),
  );
  expect(canonicalJson({ '\u{1F600}': 1, '\uFFFD': 2, B: 3, a: 4 })).toBe(
    '{"B":3,"a":4,"\uFFFD":2,"\u{1F600}":1}',
  );
});

test.each([
  [EXECUTION, EXECUTION],
  [EXECUTION.toUpperCase(), EXECUTION],
  [EXECUTION.replaceAll('-', ''), EXECUTION],
  [`{${EXECUTION}}`, EXECUTION],
  [`urn:uuid:${EXECUTION}`, EXECUTION],
  [`${EXECUTION}0`, undefined],
  [EXECUTION.replace('5', 'g'), undefined],
  ['', undefined],
  ['x'.repeat(1_000), undefined],
  [7, undefined],
  [null, undefined],
  [[EXECUTION], undefined],
  [{ toString: 1 }, undefined],
])('the UUID in %j is %s', (given, canonical) => {
  expect(parseUuid(given)).toBe(canonical);
});

test('tokens have 43 URL-safe characters, connection ids 64 hex ones, and none comes twice', () => {
  const tokens = Array.from({ length: 100 }, newToken);
  expect(tokens.every((token) => /^[A-Za-z0-9_-]{43}$/.test(token))).toBe(true);
  expect(new Set(tokens).size).toBe(100);
  expect(newConnectionId()).toMatch(/^[0-9a-f]{64}$/);
});

test('hashes are the same only when every character is', () => {
  expect(sameHash(tokenHash('a'), tokenHash('a'))).toBe(true);
  expect(sameHash(tokenHash('a'), tokenHash('b'))).toBe(false);
  expect(sameHash(tokenHash('a'), '')).toBe(false);
});

test('instants are written with microseconds, with and without a zone', () => {
  const at = Date.parse('2026-10-20T08:15:30.120Z');
  expect(isoInstant(at)).toBe('2026-10-20T08:15:30.120000Z');
  expect(isoNaive(at)).toBe('2026-10-20T08:15:30.120000');
  expect(isoInstant(null)).toBeNull();
});
