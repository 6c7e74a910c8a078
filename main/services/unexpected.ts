/**
 * Failures nobody expected, of no job in particular. Owns that each is logged once, and that the owner hears of one
 * that ended the host when it runs again. What becomes of the process is for the shell (`main/watch-unexpected.ts`).
 */
import * as z from 'zod';
import type { Clock, Log } from '../../runner-core/ports.ts';
import type { SettingsStore } from '../store/settings-store.ts';
import { shownText } from './views/shown-text.ts';

const SETTING = 'ended_unexpectedly';
const MOST_CHARACTERS = 300;

const endSchema = z.object({ atMs: z.number(), what: z.string() });
/** How an earlier process of this host ended. `what` is one line without secrets. */
export type UnexpectedEnd = z.infer<typeof endSchema>;

export interface UnexpectedDeps {
  readonly clock: Clock;
  readonly log: Log & { clean(text: string): string };
  readonly facts: Pick<SettingsStore, 'get' | 'set' | 'delete'>;
}

export class Unexpected {
  /** Of the process before this one; null where it ended as it should. */
  readonly lastEnd: UnexpectedEnd | null;
  readonly #deps: UnexpectedDeps;

  constructor(deps: UnexpectedDeps) {
    this.#deps = deps;
    this.lastEnd = this.#take();
  }

  /** A promise was rejected and nobody listened: whatever it was for, everything else goes on. */
  rejection(error: unknown): void {
    this.#deps.log.error('rejection not handled', { error });
  }

  /** The host ends of it. Never throws. */
  exception(error: unknown): void {
    const { clock, log, facts } = this.#deps;
    log.error('exception not caught', { error });
    const said = error instanceof Error ? error.message : String(error);
    const what = shownText(log.clean(said)).slice(0, MOST_CHARACTERS);
    try {
      facts.set(SETTING, JSON.stringify({ atMs: clock.nowMs(), what } satisfies UnexpectedEnd));
    } catch (notKept) {
      log.error('end not kept', { error: notKept });
    }
  }

  /** Told during one run: the timeline keeps it for good. */
  #take(): UnexpectedEnd | null {
    const { facts, log } = this.#deps;
    try {
      const text = facts.get(SETTING);
      if (text === undefined) return null;
      facts.delete(SETTING);
      return endSchema.parse(JSON.parse(text));
    } catch (error) {
      log.warn('earlier end not read', { error });
      return null;
    }
  }
}
