/** Keeps a long-lived process small. Owns one switch of V8. */
import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets its young generation grow to 128 MB under a steady stream of short-lived objects, which is what output
 * on its way is, and seldom gives it back. Kept at its first size it is collected oftener, each time for less: the
 * processor time of a host under 8 chatty jobs was the same. Of all its switches for size this one alone is
 * read at each growth and so can be set from within, however a shell starts the process.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
