/** Waiting with a limit. Owns nothing: what happens when the limit passes is the caller's. */
import type { Clock } from '../ports.ts';

/** True when `work` settled, either way, before `limitMs` passed. Leaves no timer behind. */
export function settledWithin(
  clock: Clock,
  limitMs: number,
  work: Promise<unknown>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.after(limitMs, () => resolve(false));
    const inTime = (): void => {
      timer.cancel();
      resolve(true);
    };
    work.then(inTime, inTime);
  });
}
