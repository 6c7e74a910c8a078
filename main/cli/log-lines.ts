/** Log records as lines for a terminal: pieces of a long line joined, then filtered and put into words. Pure. */
import type { LogRecordView } from '../contract/views.ts';
import { RECORD_FLAG } from '../../runner-core/model/log-chunk.ts';
import { CommandError } from './exit-codes.ts';
import { colouredText, instantText, plainText } from './plain-output.ts';

export interface LogFilter {
  /** Epoch ms; older lines are left out. */
  readonly sinceMs: number | null;
  readonly pattern: RegExp | null;
  readonly raw: boolean;
  readonly isTerminal: boolean;
}

/** Longer lines are printed in pieces. */
const MAX_LINE_CHARACTERS = 4 * 1024 * 1024;
const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `5m`, `90s`, `2h`, `1d` before now. Throws CommandError. */
export function sinceInstant(text: string, nowMs: number): number {
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text.trim()) ?? [];
  const unitMs = UNITS[unit];
  if (amount === undefined || unitMs === undefined)
    throw new CommandError('--since takes a time such as 30s, 5m, 2h or 1d.');
  return nowMs - Number(amount) * unitMs;
}

/** Throws CommandError. */
export function grepPattern(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unreadable';
    throw new CommandError(`--grep takes a regular expression: ${why}.`);
  }
}

export class LogLines {
  readonly #filter: LogFilter;
  /** The line that is open, by source: lines of the two sources may alternate. */
  readonly #open = new Map<number, { atMs: number; text: string }>();

  constructor(filter: LogFilter) {
    this.#filter = filter;
  }

  /** The lines that are complete with these records. */
  add(records: readonly LogRecordView[]): readonly string[] {
    return records.flatMap(({ flags, atMs, text }) => {
      const source = flags & RECORD_FLAG.stderr;
      const open = this.#open.get(source);
      const whole = { atMs: open?.atMs ?? atMs, text: (open?.text ?? '') + text };
      const goesOn = (flags & RECORD_FLAG.more) !== 0 && whole.text.length < MAX_LINE_CHARACTERS;
      if (goesOn) {
        this.#open.set(source, whole);
        return [];
      }
      this.#open.delete(source);
      return this.#shown(whole);
    });
  }

  #shown({ atMs, text }: { readonly atMs: number; readonly text: string }): readonly string[] {
    const { sinceMs, pattern, raw, isTerminal } = this.#filter;
    if (sinceMs !== null && atMs < sinceMs) return [];
    if (pattern !== null && !pattern.test(plainText(text))) return [];
    if (raw) return [text];
    return [`${instantText(atMs)}  ${isTerminal ? colouredText(text) : plainText(text)}`];
  }
}
