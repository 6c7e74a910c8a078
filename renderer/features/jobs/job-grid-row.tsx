/** One row of the list. Drawn anew only when what it shows has changed. */
import { memo, type JSX } from 'react';
import type { JobRow } from '../../../main/contract/views.ts';
import { JobState, STATE_GLYPHS, Status } from '../../components/status.tsx';
import {
  formatClockSeconds,
  formatCount,
  formatDuration,
  formatElapsed,
  formatInstant,
  isSameDay,
  shortImage,
} from '../../format.ts';
import { formatRoute, goTo } from '../../router.ts';
import { words } from '../../words.ts';

export const COLUMNS = [
  { name: 'state', className: 'c-state' },
  { name: 'job', className: 'c-job' },
  { name: 'image', className: 'c-where' },
  { name: 'accepted', className: 'c-accepted num' },
  { name: 'waited', className: 'c-wait num' },
  { name: 'ran', className: 'c-ran num' },
  { name: 'lines', className: 'c-lines num' },
  { name: 'verdict', className: 'c-verdict' },
] as const;

/** The bar is full at this run time: beyond it, the number says it. */
const BAR_FULL_MS = 900_000;
const BAR_PX = 43;

export interface JobGridRowProps {
  readonly id: string;
  readonly index: number;
  readonly top: number;
  /** Undefined until it is fetched. */
  readonly row: JobRow | undefined;
  readonly before: JobRow | undefined;
  readonly active: boolean;
  /** 0 for a row that does not change with time. */
  readonly nowMs: number;
  readonly onPoint: (index: number) => void;
}

export const JobGridRow = memo(function JobGridRow(props: JobGridRowProps): JSX.Element {
  const { id, index, top, row, before, active, onPoint } = props;
  const newDay =
    row !== undefined &&
    before !== undefined &&
    before.endedAtMs !== null &&
    !isSameDay(row.acceptedAtMs, before.acceptedAtMs);
  return (
    <div
      id={id}
      role="row"
      className={`gr${active ? ' active' : ''}${newDay ? ' new-day' : ''}`}
      aria-rowindex={index + 2}
      aria-selected={active}
      style={{ top }}
      onMouseDown={() => onPoint(index)}
      onClick={(event) => {
        if (
          row === undefined ||
          event.defaultPrevented ||
          event.target instanceof HTMLAnchorElement
        )
          return;
        // A click that ends a selection of text is no click.
        if (getSelection()?.isCollapsed === false) return;
        goTo({ name: 'job', jobId: row.jobId, parameters: '' });
      }}
    >
      {row === undefined ? <Waiting /> : <Cells row={row} nowMs={props.nowMs} />}
    </div>
  );
});

function Waiting(): JSX.Element {
  return (
    <>
      {COLUMNS.map(({ name, className }) => (
        <span key={name} role="gridcell" className={className}>
          <span className="skeleton" />
        </span>
      ))}
    </>
  );
}

function Cells({ row, nowMs }: { readonly row: JobRow; readonly nowMs: number }): JSX.Element {
  const waitedMs = row.startedAtMs === null ? null : row.startedAtMs - row.acceptedAtMs;
  const image = row.image === null ? row.agentType : shortImage(row.image);
  return (
    <>
      <span role="gridcell" className="c-state">
        <JobState state={row.state} />
      </span>
      <span role="gridcell" className="c-job" title={row.reason ?? row.repository ?? row.title}>
        <a
          className="medium plain-link trunc"
          tabIndex={-1}
          href={formatRoute({ name: 'job', jobId: row.jobId, parameters: '' })}
        >
          {row.title}
        </a>
        <span className="t3 trunc">{row.reason ?? row.repository}</span>
      </span>
      <span role="gridcell" className="c-where t2" title={row.image ?? undefined}>
        <span className="trunc">{image}</span>
      </span>
      <span role="gridcell" className="c-accepted num t2">
        {accepted(row.acceptedAtMs)}
      </span>
      <span role="gridcell" className="c-wait num t3">
        {waitedMs === null ? '' : formatDuration(waitedMs)}
      </span>
      <Ran row={row} nowMs={nowMs} />
      <span role="gridcell" className="c-lines num t2">
        {formatCount(row.lines)}
      </span>
      <span role="gridcell" className="c-verdict">
        {row.endedAtMs === null ? (
          <span className="t3">{words.jobs.noneYet}</span>
        ) : row.reported ? (
          <span className="t3">{words.jobs.reported}</span>
        ) : (
          <Status glyph="reporting" text={words.jobs.unreported} />
        )}
      </span>
    </>
  );
}

function Ran({ row, nowMs }: { readonly row: JobRow; readonly nowMs: number }): JSX.Element {
  const { startedAtMs, endedAtMs } = row;
  const spanMs = startedAtMs === null ? null : Math.max(0, (endedAtMs ?? nowMs) - startedAtMs);
  if (spanMs === null) return <span role="gridcell" className="c-ran" />;
  const width = Math.max(2, Math.round(Math.min(1, spanMs / BAR_FULL_MS) * BAR_PX));
  return (
    <span role="gridcell" className="c-ran">
      <i className={STATE_GLYPHS[row.state]} style={{ width }} />
      <span>{endedAtMs === null ? formatElapsed(spanMs) : formatDuration(spanMs)}</span>
    </span>
  );
}

function accepted(atMs: number): string {
  const nowMs = Date.now();
  return isSameDay(atMs, nowMs) ? formatClockSeconds(atMs) : formatInstant(atMs, nowMs);
}
