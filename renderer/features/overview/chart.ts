/** The chart of the last run times, as heights and as the sentence that stands for it. Pure. */
import type { JobRow } from '../../../main/contract/views.ts';
import { formatDuration } from '../../format.ts';
import { words } from '../../words.ts';

const HIGHEST_PX = 22;
const LOWEST_PX = 3;

export interface Bar {
  readonly jobId: string;
  readonly heightPx: number;
  readonly kind: 'good' | 'failed' | 'stopped';
}

export interface DurationChart {
  /** Oldest first. */
  readonly bars: readonly Bar[];
  readonly longest: string;
  readonly text: string;
}

/** Null where nothing has run: a chart of nothing says nothing. @param rows newest first */
export function durationChart(rows: readonly JobRow[]): DurationChart | null {
  const runs = rows.flatMap((row) => {
    const spanMs = ranMs(row);
    return spanMs === null ? [] : [{ row, spanMs }];
  });
  const sorted = runs.map(({ spanMs }) => spanMs).sort((a, b) => a - b);
  const longestMs = sorted.at(-1);
  const medianMs = sorted[Math.floor(sorted.length / 2)];
  if (longestMs === undefined || medianMs === undefined) return null;
  const bars = runs
    .map(({ row, spanMs }): Bar => {
      const part = longestMs === 0 ? 0 : spanMs / longestMs;
      const heightPx = Math.max(LOWEST_PX, Math.round(part * HIGHEST_PX));
      return { jobId: row.jobId, heightPx, kind: kindOf(row) };
    })
    .reverse();
  const of = (kind: Bar['kind']): number => bars.filter((bar) => bar.kind === kind).length;
  const longest = formatDuration(longestMs);
  const text = words.overview.chart(
    bars.length,
    formatDuration(medianMs),
    longest,
    of('failed'),
    of('stopped'),
  );
  return { bars, longest, text };
}

function kindOf({ state }: JobRow): Bar['kind'] {
  if (state === 'succeeded') return 'good';
  return state === 'stopped' ? 'stopped' : 'failed';
}

/** How long an ended job ran; null for one that never started. */
export function ranMs(row: JobRow): number | null {
  if (row.startedAtMs === null || row.endedAtMs === null) return null;
  return row.endedAtMs - row.startedAtMs;
}
