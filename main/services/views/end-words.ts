/** What the owner is told of a host that ended by a failure. Pure. */
import type { UnexpectedEnd } from '../unexpected.ts';
import { asSentence, momentText } from './plain-text.ts';

/** `timeZone` undefined: the machine's own. */
export function endWords(
  { atMs, what }: UnexpectedEnd,
  nowMs: number,
  timeZone: string | undefined,
): { readonly state: string; readonly consequence: string } {
  return {
    state: `This app ended by a fault of its own at ${momentText(atMs, nowMs, timeZone)}.`,
    consequence: `${asSentence(what)} It runs again and took up its jobs; host.log says more.`,
  };
}
