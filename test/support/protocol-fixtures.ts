/** The protocol's fixtures, read as JSON. */
import { readFileSync } from 'node:fs';

const FOLDER = new URL('../fixtures/protocol/', import.meta.url);

/** The fixture at a path below `test/fixtures/protocol/`, as text and as JSON. */
export function protocolFixture(path: string): { readonly text: string; readonly value: unknown } {
  const text = readFileSync(new URL(path, FOLDER), 'utf8');
  return { text, value: JSON.parse(text) as unknown };
}
