/**
 * How far a container's log was taken, per source, and which records of a new pass over it were taken
 * before. Pure; `container-log.ts` owns when to make a pass.
 */
import type { LogCursor, SourceCursor } from '../model/log-chunk.ts';
import { formatInstant, parseInstant, type Instant } from './log-instant.ts';
import type { OutputSource } from './stream-frames.ts';

/** Before every instant: nothing was taken yet. */
const NEVER = -1;

/** The part of a position that a cursor keeps. */
interface Mark extends Instant {
  readonly atNewest: number;
  readonly taken: number;
}

/** What was taken of one source. A record is one piece of a line as the engine stores it. */
export class SourcePosition {
  /** Newest instant taken: the greatest, not the last, since the clock may have been set back. */
  #sec = NEVER;
  #ns = 0;
  #atNewest = 0;
  #taken = 0;
  /** Instant of the last record met for the first time, and how many in a row had it. */
  lastSec = NEVER;
  lastNs = 0;
  repeats = 0;
  /** Where the open line began, and its instant; null between lines. */
  #lineStart: Mark | null = null;
  #lineSince: Instant = { sec: NEVER, ns: 0 };

  constructor(cursor?: SourceCursor) {
    if (cursor === undefined) return;
    if (cursor.taken > 0) {
      const newest = parseInstant(cursor.newest);
      if (newest === undefined) throw new RangeError('log cursor without an instant');
      this.#sec = newest.sec;
      this.#ns = newest.ns;
      this.#atNewest = cursor.takenAtNewest;
      this.#taken = cursor.taken;
    }
    if (cursor.open !== null) this.#reopen(cursor.open);
  }

  /** The line that was open at the cursor: still open, until it was read again. */
  #reopen(open: NonNullable<SourceCursor['open']>): void {
    const since = parseInstant(open.since);
    if (since === undefined) throw new RangeError('open line without an instant');
    this.#lineStart = this.mark;
    this.#lineSince = since;
  }

  get taken(): number {
    return this.#taken;
  }

  get mark(): Mark {
    return { sec: this.#sec, ns: this.#ns, atNewest: this.#atNewest, taken: this.#taken };
  }

  /** Goes on to a record met for the first time, also one that an earlier worker took. */
  meet(sec: number, ns: number): void {
    if (sec === this.lastSec && ns === this.lastNs) {
      this.repeats += 1;
    } else {
      this.lastSec = sec;
      this.lastNs = ns;
      this.repeats = 1;
    }
  }

  /** Counts one record; `ends` when its line ends with it. */
  take(sec: number, ns: number, ends: boolean): void {
    if (!ends && this.#lineStart === null) {
      this.#lineStart = this.mark;
      this.#lineSince = { sec, ns };
    } else if (ends) {
      this.#lineStart = null;
    }
    this.#taken += 1;
    this.meet(sec, ns);
    if (sec > this.#sec || (sec === this.#sec && ns > this.#ns)) {
      this.#sec = sec;
      this.#ns = ns;
      this.#atNewest = 1;
    } else if (sec === this.#sec && ns === this.#ns) {
      this.#atNewest += 1;
    }
  }

  /** The container is gone and with it the rest of an open line: what there is of it is the line. */
  closeLine(): void {
    this.#lineStart = null;
  }

  /** `emittedBytes` is how much of the open line was emitted; ignored between lines. */
  cursor(emittedBytes: number): SourceCursor {
    const mark = this.#lineStart ?? this.mark;
    const open = this.#lineStart === null ? null : this.#lineSince;
    return {
      newest: mark.taken === 0 ? '' : formatInstant(mark),
      takenAtNewest: mark.atNewest,
      taken: mark.taken,
      open: open === null ? null : { since: formatInstant(open), emittedBytes },
    };
  }
}

export type LogPosition = readonly [stdout: SourcePosition, stderr: SourcePosition];

export function logPosition(cursor: LogCursor | null): LogPosition {
  return [new SourcePosition(cursor?.stdout), new SourcePosition(cursor?.stderr)];
}

/** Tells records taken before from new ones, as a pass meets them in the log's own order. */
export interface TakenBefore {
  covers(source: OutputSource, sec: number, ns: number): boolean;
}

/**
 * For a pass from the start. A record was taken before when its number within its source *and* its instant
 * say so: the number alone is right when the clock was set back, the instant alone when the engine dropped
 * the oldest records with a rotated file.
 */
export class TakenFromStart implements TakenBefore {
  readonly #marks: readonly [Mark, Mark];
  readonly #met: [number, number] = [0, 0];
  readonly #metAtNewest: [number, number] = [0, 0];

  constructor(position: LogPosition) {
    this.#marks = [position[0].mark, position[1].mark];
  }

  covers(source: OutputSource, sec: number, ns: number): boolean {
    const mark = this.#marks[source];
    const number = this.#met[source];
    if (number >= mark.taken) return false;
    this.#met[source] = number + 1;
    if (sec !== mark.sec) return sec < mark.sec;
    if (ns !== mark.ns) return ns < mark.ns;
    this.#metAtNewest[source] += 1;
    return this.#metAtNewest[source] <= mark.atNewest;
  }
}

/**
 * For a pass over the newest records only: everything up to the last record met was taken before. The
 * engine keeps both sources in one file, so that one record is a place in it, whatever the clock did.
 */
export class TakenUpToLast implements TakenBefore {
  readonly #source: OutputSource;
  readonly #sec: number;
  readonly #ns: number;
  readonly #repeats: number;
  #met = 0;
  /** A record of the source with another instant came first: pieces of the last line are all in sight. */
  #bounded = false;
  #lost = false;

  constructor(source: OutputSource, position: SourcePosition) {
    this.#source = source;
    this.#sec = position.lastSec;
    this.#ns = position.lastNs;
    this.#repeats = position.repeats;
  }

  /** False at the end of a pass: the last record met was not among the newest. Nothing was then new. */
  get found(): boolean {
    return this.#met >= this.#repeats;
  }

  covers(source: OutputSource, sec: number, ns: number): boolean {
    if (this.found) return false;
    if (source !== this.#source || this.#lost) return true;
    if (sec !== this.#sec || ns !== this.#ns) {
      this.#bounded = true;
      return true;
    }
    if (this.#bounded) this.#met += 1;
    else this.#lost = true;
    return true;
  }
}
