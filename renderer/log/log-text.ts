/** A log as text: the time column, what is copied, what is downloaded. Pure. */
import { formatElapsed } from '../format.ts';
import { plainText } from './ansi-parser.ts';
import type { LogRow } from './line-store.ts';
import { RECORD_FLAG } from '../../runner-core/model/log-chunk.ts';
import type { LogRecordView } from '../../main/contract/views.ts';

export const TIME_MODES = ['start', 'clock', 'off'] as const;
export type TimeMode = (typeof TIME_MODES)[number];

/** `5:41.0`, `1:02:05.3`: since the job started. What was printed before counts as 0. */
export function fromStart(atMs: number, startMs: number): string {
  const spanMs = Math.max(0, atMs - startMs);
  return `${formatElapsed(spanMs)}.${Math.floor(spanMs / 100) % 10}`;
}

/** `14:31:50` in this machine's time. */
export function clockTime(atMs: number): string {
  const at = new Date(atMs);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function timeText(mode: TimeMode, atMs: number, startMs: number): string {
  if (mode === 'off') return '';
  return mode === 'clock' ? clockTime(atMs) : fromStart(atMs, startMs);
}

/** Rows as they are put on the clipboard; a line in several records is one line again. */
export function copyText(rows: readonly LogRow[], time: ((row: LogRow) => string) | null): string {
  let text = '';
  rows.forEach((row, index) => {
    const joins = row.continuation && index > 0;
    if (index > 0 && !joins) text += '\n';
    if (time !== null && !joins) text += `${time(row)}\t`;
    text += plainText(row.text);
  });
  return text;
}

/** Records as the job printed them, colours too. Joins the records of one line where they follow each other. */
export function rawText(records: readonly LogRecordView[]): string {
  return records
    .map(({ text, flags }) => ((flags & RECORD_FLAG.more) === 0 ? `${text}\n` : text))
    .join('');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
