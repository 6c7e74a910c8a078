import { expect, test } from 'vitest';
import { toJobId, toRunnerId } from '../../../runner-core/model/ids.ts';

test.each(['5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c01', 'A', 'job_1.2', 'x'.repeat(128)])(
  '%s is an id',
  (text) => {
    expect(toJobId(text)).toBe(text);
    expect(toRunnerId(text)).toBe(text);
  },
);

test.each(['', ' a', '.', '..', '-a', 'a/b', 'a\\b', 'a\n', 'é', 'a b', 'x'.repeat(129)])(
  '%j could not safely name a file or a container',
  (text) => {
    expect(toJobId(text)).toBeUndefined();
    expect(toRunnerId(text)).toBeUndefined();
  },
);
