/** The pauses that can be chosen, each as what the host is asked for. Pure. */
import type { RequestInput } from '../../../main/contract/requests.ts';

export type PauseName = 'now' | 'after_jobs' | 'hour' | 'tomorrow';

export interface PauseChoice {
  readonly name: PauseName;
  readonly wish: (nowMs: number) => RequestInput<'host.pause'>;
}

const HOUR_MS = 3_600_000;
const MORNING_HOUR = 8;

export const PAUSES: readonly PauseChoice[] = [
  { name: 'now', wish: () => ({}) },
  { name: 'after_jobs', wish: () => ({ when: 'after_jobs' }) },
  { name: 'hour', wish: (nowMs) => ({ untilMs: nowMs + HOUR_MS }) },
  { name: 'tomorrow', wish: (nowMs) => ({ untilMs: tomorrowMorning(nowMs) }) },
];

/** In the time zone of whoever looks, which is that of the machine. */
function tomorrowMorning(nowMs: number): number {
  const at = new Date(nowMs);
  at.setDate(at.getDate() + 1);
  return at.setHours(MORNING_HOUR, 0, 0, 0);
}

/** The next time it is `clock`: today, or tomorrow where that is over. @param clock `18:00` */
export function nextClock(clock: string, nowMs: number): number {
  const [hour = 0, minute = 0] = clock.split(':').map(Number);
  const at = new Date(nowMs);
  at.setHours(hour, minute, 0, 0);
  if (at.getTime() <= nowMs) at.setDate(at.getDate() + 1);
  return at.getTime();
}
