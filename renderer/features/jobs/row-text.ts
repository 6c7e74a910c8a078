/**
 * A row of the list as the strings that are shown. Made once for each row and kept as long as the row is, since a
 * quick turn of the wheel draws hundreds of rows a second.
 */
import type { JobRow } from '../../../main/contract/views.ts';
import { STATE_GLYPHS } from '../../components/status.tsx';
import {
  formatClockSeconds,
  formatCount,
  formatDuration,
  formatInstant,
  isSameDay,
  shortImage,
} from '../../format.ts';
import { formatRoute } from '../../router.ts';
import { words } from '../../words.ts';

/** The bar is full at this run time: beyond it, the number says it. */
const BAR_FULL_MS = 900_000;
const BAR_PX = 43;
/** A title longer than this leaves room for the reason beside it. */
const LONG_TITLE = 44;

export interface RowText {
  readonly glyph: string;
  readonly state: string;
  readonly href: string;
  readonly title: string;
  readonly titleIsLong: boolean;
  readonly beside: string;
  readonly image: string;
  readonly accepted: string;
  readonly waited: string;
  /** Null while it runs: then the time says it. */
  readonly ran: string | null;
  readonly barPx: number;
  readonly lines: string;
  readonly verdict: string;
  readonly unreported: boolean;
}

const made = new WeakMap<JobRow, { readonly onDay: string; readonly text: RowText }>();

export function rowText(row: JobRow, nowMs: number): RowText {
  const onDay = new Date(nowMs).toDateString();
  const known = made.get(row);
  // After midnight a clock time needs its day.
  if (known?.onDay === onDay) return known.text;
  const text = makeRowText(row, nowMs);
  made.set(row, { onDay, text });
  return text;
}

function makeRowText(row: JobRow, nowMs: number): RowText {
  const { acceptedAtMs, startedAtMs, endedAtMs } = row;
  const ranMs = startedAtMs === null || endedAtMs === null ? null : endedAtMs - startedAtMs;
  return {
    glyph: STATE_GLYPHS[row.state],
    state: words.state(row.state),
    href: formatRoute({ name: 'job', jobId: row.jobId, parameters: '' }),
    title: row.title,
    titleIsLong: row.title.length > LONG_TITLE,
    beside: row.reason ?? row.repository ?? '',
    image: row.image === null ? (row.profile ?? row.agentType) : shortImage(row.image),
    accepted: isSameDay(acceptedAtMs, nowMs)
      ? formatClockSeconds(acceptedAtMs)
      : formatInstant(acceptedAtMs, nowMs),
    waited: startedAtMs === null ? '' : formatDuration(startedAtMs - acceptedAtMs),
    ran:
      ranMs === null
        ? endedAtMs === null && startedAtMs !== null
          ? null
          : ''
        : formatDuration(ranMs),
    barPx: ranMs === null ? 0 : barPx(ranMs),
    lines: formatCount(row.lines),
    verdict:
      endedAtMs === null
        ? words.jobs.noneYet
        : row.reported
          ? words.jobs.reported
          : words.jobs.unreported,
    unreported: endedAtMs !== null && !row.reported,
  };
}

export function barPx(ranMs: number): number {
  return Math.max(2, Math.round(Math.min(1, Math.max(0, ranMs) / BAR_FULL_MS) * BAR_PX));
}

/** What pointing at a cell shows: the whole of what may be cut there. */
export function cellTitle(row: JobRow, column: 'c-job' | 'c-where'): string {
  if (column === 'c-where') return row.image ?? row.profile ?? row.agentType;
  const beside = row.reason ?? row.repository;
  return beside === null ? row.title : `${row.title}\n${beside}`;
}
