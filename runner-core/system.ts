/** The real clock, chance and ids. The only file of ours that may touch those globals. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, RandomSource } from './ports.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
  wait: (delayMs, signal) => sleep(delayMs, undefined, signal === undefined ? {} : { signal }),
};

export const systemRandom: RandomSource = { fraction: () => Math.random() };

/** A fresh random UUID. */
export const newId = (): string => randomUUID();
