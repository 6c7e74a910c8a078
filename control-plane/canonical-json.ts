/** One spelling for equal JSON values: keys sorted by code point, no blanks, no escapes beyond JSON's own, nulls left out of objects. */
import { createHash } from 'node:crypto';
import { isJsonObject, type Json } from '../runner-core/model/json.ts';

export function canonicalJson(value: Json | undefined): string {
  if (Array.isArray(value)) {
    return `[${(value as readonly Json[]).map((item) => canonicalJson(item)).join(',')}]`;
  }
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== null)
    .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Lower-case hex SHA-256 of the canonical spelling. */
export function canonicalHash(value: Json): string {
  return createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex');
}
