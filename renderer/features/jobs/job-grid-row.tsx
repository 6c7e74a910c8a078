/**
 * One slot of the list and the row that it shows now. Flat, of plain text, and the same elements for every row: another
 * row in the slot changes texts and makes nothing new.
 */
import { memo, type JSX } from 'react';
import type { JobRow } from '../../../main/contract/views.ts';
import { Glyph } from '../../components/icon.tsx';
import { formatElapsed } from '../../format.ts';
import { barPx, rowText, type RowText } from './row-text.ts';
import { ROW_PX } from './row-window.ts';

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

const NOT_FETCHED: RowText = {
  glyph: '',
  state: '',
  href: '',
  title: '',
  titleIsLong: false,
  beside: '',
  image: '',
  accepted: '',
  waited: '',
  ran: '',
  barPx: 0,
  lines: '',
  verdict: '',
  unreported: false,
};

export interface JobGridRowProps {
  /** Of the active row only: what `aria-activedescendant` names. */
  readonly id: string | undefined;
  readonly index: number;
  /** Undefined before the slot had its first. */
  readonly row: JobRow | undefined;
  /** The row is not there yet, and `row` that of another place: it is hidden. */
  readonly waiting: boolean;
  /** The first of its day, further down than the newest. */
  readonly newDay: boolean;
  readonly active: boolean;
  /** For a row that changes with time; for all others the start of the day, so that they are not drawn each second. */
  readonly nowMs: number;
}

export const JobGridRow = memo(function JobGridRow(props: JobGridRowProps): JSX.Element {
  const { id, index, row, waiting, newDay, active, nowMs } = props;
  const text = row === undefined ? NOT_FETCHED : rowText(row, nowMs);
  const runsSinceMs = text.ran === null ? (row?.startedAtMs ?? null) : null;
  const ranMs = runsSinceMs === null ? null : nowMs - runsSinceMs;
  return (
    <div
      id={id}
      role="row"
      className={`gr${waiting ? ' waiting' : ''}${active ? ' active' : ''}${newDay ? ' new-day' : ''}`}
      aria-busy={waiting ? true : undefined}
      aria-rowindex={index + 2}
      aria-selected={active}
      data-index={index}
      style={{ top: index * ROW_PX }}
    >
      <span role="gridcell" className={`c-state st-${text.glyph}`}>
        <Glyph name={text.glyph} />
        {text.state}
      </span>
      <span role="gridcell" className={text.titleIsLong ? 'c-job long' : 'c-job'}>
        <a className="plain-link" tabIndex={-1} href={text.href === '' ? undefined : text.href}>
          {text.title}
        </a>
        {/* The blank parts the two for those who hear them. */}
        <span className="t3">{` ${text.beside}`}</span>
      </span>
      <span role="gridcell" className="c-where">
        {text.image}
      </span>
      <span role="gridcell" className="c-accepted num">
        {text.accepted}
      </span>
      <span role="gridcell" className="c-wait num">
        {text.waited}
      </span>
      <span role="gridcell" className="c-ran num">
        <i className={text.glyph} style={{ width: ranMs === null ? text.barPx : barPx(ranMs) }} />
        {ranMs === null ? text.ran : formatElapsed(ranMs)}
      </span>
      <span role="gridcell" className="c-lines num">
        {text.lines}
      </span>
      <span role="gridcell" className={`c-verdict${text.unreported ? ' st-reporting' : ''}`}>
        {text.unreported ? <Glyph name="reporting" /> : null}
        {text.verdict}
      </span>
    </div>
  );
});
