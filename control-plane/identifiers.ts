/** Ids and credentials the plane makes or reads: UUIDs as the service parses them, tokens, hashes. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HEX_32 = /^[0-9a-f]{32}$/;

/**
 * The canonical lower-case form of a UUID written in any way the service takes: with or without
 * hyphens, in braces, or as a URN. Undefined for everything else, of whatever type.
 */
export function parseUuid(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (CANONICAL.test(value)) return value;
  // No spelling of a UUID is longer than urn:uuid:{…}; longer text need not be looked at.
  if (value.length > 64) return undefined;
  const hex = value
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replace(/^\{(.*)\}$/, '$1')
    .replaceAll('-', '');
  return HEX_32.test(hex) ? hyphenate(hex) : undefined;
}

/** UUID version 5 of `name` in the namespace of a canonical UUID. */
export function uuid5(namespace: string, name: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest()
    .subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return hyphenate(digest.toString('hex'));
}

/** The stored id of one log line: the same batch sent again names the same lines. */
export function logLineId(executionId: string, batchId: string, index: number): string {
  return uuid5(executionId, `${batchId}:${index}`);
}

/** 256 random bits as 43 URL-safe characters. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** 64 hex characters that name one connection. */
export function newConnectionId(): string {
  return randomBytes(32).toString('hex');
}

/** What is stored of a token: lower-case hex SHA-256 of its UTF-8 text. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** Compares two hex hashes without telling by its duration where they differ. */
export function sameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function hyphenate(hex: string): string {
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-');
}
