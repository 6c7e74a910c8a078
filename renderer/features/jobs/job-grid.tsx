/** The list itself: virtual rows, one stop for Tab, arrows inside. Owns what is active and scrolled to. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useState, type JSX, type KeyboardEvent, type RefObject } from 'react';
import { askToStop, copyText } from '../../actions.ts';
import { useNow } from '../../components/use-now.ts';
import { goTo } from '../../router.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { usePreferencesStore } from '../../stores/preferences-store.ts';
import { words } from '../../words.ts';
import { DayHeading } from './day-heading.tsx';
import { JobGridRow, COLUMNS } from './job-grid-row.tsx';
import type { JobList } from './job-windows.ts';

const ROW_PX = 32;
/** Column heads and day, which stay at the top. */
const HEAD_PX = 56;
const SKELETON_ROWS = 8;
/** Rows drawn beyond the view, so that a quick turn of the wheel meets no empty ground. */
const OVERSCAN = 6;

export interface JobGridProps {
  readonly list: JobList;
  readonly show: (first: number, last: number) => void;
  readonly gridRef: RefObject<HTMLDivElement | null>;
}

export function JobGrid({ list, show, gridRef }: JobGridProps): JSX.Element {
  const [active, setActive] = useState(0);
  const id = useId();
  const nowMs = useNow();
  const total = list.total ?? SKELETON_ROWS;
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => gridRef.current,
    estimateSize: () => ROW_PX,
    scrollMargin: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => show(first, last), [show, first, last, list]);
  const topIndex = Math.min(total - 1, Math.floor((virtual.scrollOffset ?? 0) / ROW_PX));
  const move = (to: number): void => {
    const index = Math.max(0, Math.min(total - 1, to));
    setActive(index);
    virtual.scrollToIndex(index);
  };
  const onKeyDown = useGridKeys(list, active, move, () => virtual.range);
  return (
    <div
      ref={gridRef}
      className="grid"
      role="grid"
      aria-label={words.jobs.grid}
      aria-rowcount={list.total === null ? -1 : total + 1}
      aria-colcount={COLUMNS.length}
      aria-busy={list.total === null}
      aria-activedescendant={list.total === null ? undefined : `${id}-${active}`}
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
        <DayHeading row={list.rowAt(Math.max(0, topIndex))} />
      </div>
      <div role="rowgroup" className="grid-body" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = list.rowAt(index);
          const running = row !== undefined && row.endedAtMs === null;
          return (
            <JobGridRow
              key={index}
              id={`${id}-${index}`}
              index={index}
              top={start - HEAD_PX}
              row={row}
              before={list.rowAt(index - 1)}
              active={index === active}
              // Only a running row changes with time: the others need not be drawn each second.
              nowMs={running ? nowMs : 0}
              onPoint={setActive}
            />
          );
        })}
      </div>
    </div>
  );
}

function useGridKeys(
  list: JobList,
  active: number,
  move: (to: number) => void,
  inView: () => { readonly startIndex: number; readonly endIndex: number } | null,
): (event: KeyboardEvent) => void {
  const connected = useConnected();
  const letters = usePreferencesStore((preferences) => preferences.letterKeys);
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const range = inView();
    const page = range === null ? 10 : Math.max(1, range.endIndex - range.startIndex - 1);
    const row = list.rowAt(active);
    const acts: Readonly<Record<string, (() => void) | undefined>> = {
      ArrowDown: () => move(active + 1),
      ArrowUp: () => move(active - 1),
      PageDown: () => move(active + page),
      PageUp: () => move(active - page),
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
