/** The day of the topmost row. It sticks; the list below runs on without gaps. */
import type { JSX } from 'react';
import type { JobRow } from '../../../main/contract/views.ts';
import { useNow } from '../../components/use-now.ts';
import { formatDay, relativeDay } from '../../format.ts';
import { words } from '../../words.ts';

export function DayHeading({ row }: { readonly row: JobRow | undefined }): JSX.Element {
  const nowMs = useNow(60_000);
  const relative = row === undefined ? null : relativeDay(row.acceptedAtMs, nowMs);
  const day = row === undefined ? '' : formatDay(row.acceptedAtMs);
  return (
    <div className="day" aria-hidden="true">
      {relative === null ? day : words.jobs[relative]}
      {relative === null ? null : <span className="t3">{day}</span>}
    </div>
  );
}
