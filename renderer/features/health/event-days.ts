/** Events by the day of when each last happened, in the order they come in. Pure. */
import type { EventView } from '../../../main/contract/views.ts';
import { isSameDay } from '../../format.ts';

export interface EventDay {
  /** Of its newest event. */
  readonly atMs: number;
  readonly events: readonly EventView[];
}

/** @param events newest first */
export function byDay(events: readonly EventView[]): readonly EventDay[] {
  const days: { atMs: number; events: EventView[] }[] = [];
  for (const event of events) {
    const day = days.at(-1);
    if (day !== undefined && isSameDay(day.atMs, event.lastAtMs)) day.events.push(event);
    else days.push({ atMs: event.lastAtMs, events: [event] });
  }
  return days;
}
