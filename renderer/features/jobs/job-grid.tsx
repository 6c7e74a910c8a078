/** The list itself: slots for the rows in view, one stop for Tab, arrows inside. Owns what is active and scrolled to. */
import {
  useEffect,
  useId,
  type JSX,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
} from 'react';
import { askToStop, copyText } from '../../actions.ts';
import { useNow } from '../../components/use-now.ts';
import { isSameDay } from '../../format.ts';
import { goTo } from '../../router.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { usePreferencesStore } from '../../stores/preferences-store.ts';
import { words } from '../../words.ts';
import { DayHeading } from './day-heading.tsx';
import { JobGridRow, COLUMNS } from './job-grid-row.tsx';
import type { JobList } from './job-windows.ts';
import { cellTitle } from './row-text.ts';
import { ROW_PX, scrollToShow } from './row-window.ts';
import { useFilledRows } from './use-filled-rows.ts';
import { useKeptPlace } from './use-kept-place.ts';
import { useRowWindow } from './use-row-window.ts';

/** Column heads and day, which stay at the top. */
const HEAD_PX = 56;
const SKELETON_ROWS = 8;

export interface JobGridProps {
  /** The list's address, by which the way back is found. */
  readonly place: string;
  readonly list: JobList;
  readonly show: (first: number, last: number) => void;
  readonly gridRef: RefObject<HTMLDivElement | null>;
}

export function JobGrid({ place, list, show, gridRef }: JobGridProps): JSX.Element {
  const [active, setActive] = useKeptPlace(place, gridRef, list.total !== null);
  const id = useId();
  const nowMs = useNow();
  const dayMs = startOfDay(nowMs);
  const total = list.total ?? SKELETON_ROWS;
  const { top, first, last, rows } = useRowWindow(gridRef, HEAD_PX, total);
  const filled = useFilledRows(rows.map((at) => ({ ...at, row: list.rowAt(at.index) })));
  useEffect(() => show(first, last), [show, first, last, list]);
  const move = (to: number): void => {
    const index = Math.max(0, Math.min(total - 1, to));
    setActive(index);
    const grid = gridRef.current;
    if (grid === null) return;
    grid.scrollTop = scrollToShow(index, grid.scrollTop, grid.clientHeight - HEAD_PX);
  };
  const pageRows = (): number =>
    Math.max(1, Math.floor(((gridRef.current?.clientHeight ?? 0) - HEAD_PX) / ROW_PX) - 1);
  const onKeyDown = useGridKeys(list, active, move, pageRows);
  const drawn = list.total !== null && active >= first && active <= last;
  return (
    <div
      ref={gridRef}
      className="grid"
      role="grid"
      aria-label={words.jobs.grid}
      aria-rowcount={list.total === null ? -1 : total + 1}
      aria-colcount={COLUMNS.length}
      aria-busy={list.total === null}
      aria-activedescendant={drawn ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div className="grid-head" role="rowgroup">
        <div role="row" className="gr" aria-rowindex={1}>
          {COLUMNS.map((column) => (
            <span key={column.name} role="columnheader" className={column.className}>
              {words.jobs.columns[column.name]}
            </span>
          ))}
        </div>
        <DayHeading row={list.rowAt(top)} />
      </div>
      <div
        role="rowgroup"
        className="grid-body"
        style={{ height: total * ROW_PX }}
        {...pointing(list, setActive)}
      >
        {filled.map(({ slot, index, row, waiting }) => (
          <JobGridRow
            key={slot}
            id={index === active ? `${id}-${index}` : undefined}
            index={index}
            row={row}
            waiting={waiting}
            newDay={isNewDay(row, list.rowAt(index - 1))}
            active={index === active}
            nowMs={row !== undefined && row.endedAtMs === null ? nowMs : dayMs}
          />
        ))}
      </div>
    </div>
  );
}

function startOfDay(nowMs: number): number {
  return new Date(nowMs).setHours(0, 0, 0, 0);
}

/** Running jobs are pinned above all days. */
function isNewDay(row: JobRowOrNone, before: JobRowOrNone): boolean {
  return (
    row !== undefined &&
    before !== undefined &&
    before.endedAtMs !== null &&
    !isSameDay(row.acceptedAtMs, before.acceptedAtMs)
  );
}

type JobRowOrNone = ReturnType<JobList['rowAt']>;

/** One set of handlers for all rows. */
function pointing(
  list: JobList,
  onPoint: (index: number) => void,
): Record<
  'onMouseDown' | 'onClick' | 'onMouseOver' | 'onMouseOut',
  (event: MouseEvent<HTMLElement>) => void
> {
  return {
    onMouseDown: (event) => {
      const index = indexOf(event.target);
      if (index !== undefined) onPoint(index);
    },
    onClick: (event) => {
      const row = list.rowAt(indexOf(event.target) ?? -1);
      if (row === undefined || event.defaultPrevented) return;
      if (event.target instanceof HTMLAnchorElement) return;
      // A click that ends a selection of text is no click.
      if (getSelection()?.isCollapsed === false) return;
      goTo({ name: 'job', jobId: row.jobId, parameters: '' });
    },
    // The whole of what is cut is told of the cell that is pointed at, and of no other.
    onMouseOver: (event) => {
      const cell = cutCell(event.target);
      const row = list.rowAt(indexOf(event.target) ?? -1);
      if (cell === null || row === undefined) return;
      cell.title = cellTitle(row, cell.classList.contains('c-job') ? 'c-job' : 'c-where');
    },
    onMouseOut: (event) => cutCell(event.target)?.removeAttribute('title'),
  };
}

function cutCell(target: EventTarget): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('.c-job, .c-where') : null;
}

function indexOf(target: EventTarget): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
  return row === null ? undefined : Number(row.dataset['index']);
}

function useGridKeys(
  list: JobList,
  active: number,
  move: (to: number) => void,
  pageRows: () => number,
): (event: KeyboardEvent) => void {
  const connected = useConnected();
  const letters = usePreferencesStore((preferences) => preferences.letterKeys);
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = list.rowAt(active);
    const acts: Readonly<Record<string, (() => void) | undefined>> = {
      ArrowDown: () => move(active + 1),
      ArrowUp: () => move(active - 1),
      PageDown: () => move(active + pageRows()),
      PageUp: () => move(active - pageRows()),
      Home: () => move(0),
      End: () => move((list.total ?? 1) - 1),
      Enter:
        row === undefined
          ? undefined
          : () => goTo({ name: 'job', jobId: row.jobId, parameters: '' }),
      ...(letters
        ? {
            j: () => move(active + 1),
            k: () => move(active - 1),
            c: row === undefined ? undefined : () => copyText(row.jobId, words.jobs.idCopied),
            s:
              row === undefined || row.endedAtMs !== null || !connected
                ? undefined
                : () => askToStop(row),
          }
        : {}),
    };
    const act = acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
}
