import { expect, test } from 'vitest';
import { TextHash } from '../../../runner-core/model/text-hash.ts';

test('a text has one hash however it was cut, and another text another', () => {
  const text = 'I will read it. 𝒶 Done.';
  for (let at = 0; at <= text.length; at++) {
    const hash = new TextHash();
    hash.add(text.slice(0, at));
    hash.add(text.slice(at));
    expect(hash.value).toBe(TextHash.of(text));
  }
  const others = ['I will read it. 𝒶 Done!', 'I will read it. 𝒶 Doen.', '', `${text} `];
  for (const other of others) expect(TextHash.of(other)).not.toBe(TextHash.of(text));
});
