/** The scrolling part of a log: an element as tall as the log, and in it the rows that show. */
import { useLayoutEffect, useRef, useSyncExternalStore, type JSX, type ReactNode } from 'react';
import { plainText, ESC } from '../../log/ansi-parser.ts';
import type { FindSession } from '../../log/find-session.ts';
import type { LogRow } from '../../log/line-store.ts';
import { timeText, type TimeMode } from '../../log/log-text.ts';
import { MAX_COLUMNS } from '../../log/row-pieces.ts';
import { ROW_PX } from '../../log/window-math.ts';
import type { LogController } from './log-controller.ts';
import { LogRowView } from './log-row.tsx';

export interface LogRowsProps {
  readonly controller: LogController;
  readonly find: FindSession;
  readonly label: string;
  readonly time: TimeMode;
  readonly startMs: number;
  readonly wrap: boolean;
  readonly expanded: ReadonlySet<number>;
  readonly onExpand: (record: number) => void;
  readonly onPick: (record: number, extend: boolean) => void;
  readonly placeholder: ReactNode;
}

const GUTTER_PX = 130;

export function LogRows(props: LogRowsProps): JSX.Element {
  const { controller, wrap } = props;
  const snapshot = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const scroller = useRef<HTMLDivElement>(null);
  const sizer = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const widest = useRef(0);
  const revealed = useRef(props.find.current);

  useLayoutEffect(() => {
    if (scroller.current === null || sizer.current === null) return undefined;
    return controller.attach(scroller.current, sizer.current);
  }, [controller]);

  const { first, end, selection } = snapshot;
  const drawn: JSX.Element[] = [];
  for (let record = first; record < end; record++) {
    const row = controller.row(record);
    const expanded = props.expanded.has(record);
    if (row !== undefined) widest.current = Math.max(widest.current, columnsOf(row, expanded));
    drawn.push(
      <LogRowView
        key={record}
        record={record}
        total={snapshot.total}
        row={row}
        time={row === undefined ? '' : timeText(props.time, row.atMs, props.startMs)}
        hits={props.find.hitsOf(record)}
        selected={selection !== null && isWithin(record, selection.anchor, selection.head)}
        expanded={expanded}
        onExpand={props.onExpand}
        onPick={props.onPick}
      />,
    );
  }

  useLayoutEffect(() => {
    const element = rows.current;
    if (element === null) return;
    const up = wrap
      ? controller.laidOut(
          Array.from(element.children, (row) => row.getBoundingClientRect().height),
        )
      : snapshot.hidden * ROW_PX;
    element.style.transform = `translateY(${-up}px)`;
    // Rows come and go; without the widest one kept, scrolling down would move what is scrolled sideways.
    if (sizer.current !== null)
      sizer.current.style.minWidth = wrap
        ? ''
        : `max(100%, ${widest.current}ch + var(--gutter) + 24px)`;
  }, [controller, wrap, snapshot, props.expanded, props.time]);

  // A hit far to the right of a long line is brought into view sideways, once, when it is stepped to.
  const { current } = props.find;
  useLayoutEffect(() => {
    if (current === revealed.current || scroller.current === null) return;
    const hit = rows.current?.querySelector('.hit.cur')?.getBoundingClientRect();
    if (current !== null && hit === undefined) return;
    revealed.current = current;
    if (hit === undefined) return;
    const view = scroller.current.getBoundingClientRect();
    const left = view.left + GUTTER_PX;
    if (hit.left < left || hit.right > view.right)
      scroller.current.scrollLeft += hit.left - left - view.width / 3;
  }, [current, snapshot, props.expanded]);

  return (
    <div
      ref={scroller}
      className={`lines t-${props.time}${wrap ? ' wrapped' : ''}`}
      tabIndex={0}
      data-region=""
      role="group"
      aria-label={props.label}
    >
      <div ref={sizer} className="sizer">
        <div className="layer" style={{ height: snapshot.viewportPx }}>
          <div ref={rows} className="log-rows" role={drawn.length > 0 ? 'list' : undefined}>
            {drawn}
          </div>
        </div>
      </div>
      {snapshot.total === 0 ? <div className="log-none">{props.placeholder}</div> : null}
    </div>
  );
}

function columnsOf(row: LogRow, expanded: boolean): number {
  const columns =
    row.text.includes(ESC) && row.text.length < 2 * MAX_COLUMNS
      ? plainText(row.text).length
      : row.text.length;
  // Room for the button behind a line that is cut.
  return expanded ? columns : Math.min(columns, MAX_COLUMNS + 24);
}

function isWithin(record: number, one: number, other: number): boolean {
  return record >= Math.min(one, other) && record <= Math.max(one, other);
}
