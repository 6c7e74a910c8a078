/** The scrolling part of a log: an element as tall as the log, and in it the rows that show. */
import './log-rows.css';
import { useLayoutEffect, useRef, useSyncExternalStore, type JSX, type ReactNode } from 'react';
import { plainText, ESC } from '../../log/ansi-parser.ts';
import type { FindSession } from '../../log/find-session.ts';
import type { LogRow } from '../../log/line-store.ts';
import { timeText, type TimeMode } from '../../log/log-text.ts';
import { rowElements } from '../../log/row-elements.ts';
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
  /** No line will follow. */
  readonly finished: boolean;
  readonly expanded: ReadonlySet<number>;
  readonly onExpand: (record: number) => void;
  readonly onPick: (record: number, extend: boolean) => void;
  readonly placeholder: ReactNode;
}

/** Free from the start, so that the text does not move with the thousandth line or the tenth minute. */
const LEAST_DIGITS = 4;
const LEAST_TIME_CHARS = 7;
/** As ARIA has it. A size that grows would change every row with every line. */
const UNKNOWN_SIZE = -1;

export function LogRows(props: LogRowsProps): JSX.Element {
  const { controller, wrap } = props;
  const snapshot = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const scroller = useRef<HTMLDivElement>(null);
  const sizer = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const widest = useRef(0);
  const longestTime = useRef({ mode: props.time, chars: LEAST_TIME_CHARS });
  const revealed = useRef(props.find.current);

  useLayoutEffect(() => {
    if (scroller.current === null || sizer.current === null) return undefined;
    return controller.attach(scroller.current, sizer.current);
  }, [controller]);

  const { first, end, selection, total } = snapshot;
  const shown = useRef({ first, end, base: first });
  shown.current = rowElements(shown.current, first, end);
  const { base } = shown.current;
  if (longestTime.current.mode !== props.time)
    longestTime.current = { mode: props.time, chars: LEAST_TIME_CHARS };
  const drawn: JSX.Element[] = [];
  for (let record = first; record < end; record++) {
    const row = controller.row(record);
    const expanded = props.expanded.has(record);
    // Its sequences only make a line shorter than its text.
    if (row !== undefined && row.text.length > widest.current)
      widest.current = Math.max(widest.current, columnsOf(row, expanded));
    const time = row === undefined ? '' : timeText(props.time, row.atMs, props.startMs);
    longestTime.current.chars = Math.max(longestTime.current.chars, time.length);
    drawn.push(
      <LogRowView
        key={record - base}
        record={record}
        total={props.finished ? snapshot.total : UNKNOWN_SIZE}
        row={row}
        time={time}
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
    const frame = scroller.current;
    if (element === null || frame === null) return;
    frame.style.setProperty('--digits', String(Math.max(LEAST_DIGITS, String(total).length)));
    frame.style.setProperty('--time', String(longestTime.current.chars));
    controller.settle();
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
  }, [controller, wrap, snapshot, total, props.expanded, props.time]);

  // A hit far to the right of a long line is brought into view sideways, once, when it is stepped to.
  const { current } = props.find;
  useLayoutEffect(() => {
    if (current === revealed.current || scroller.current === null) return;
    const hit = rows.current?.querySelector('.hit.cur')?.getBoundingClientRect();
    if (current !== null && hit === undefined) return;
    revealed.current = current;
    if (hit === undefined) return;
    const view = scroller.current.getBoundingClientRect();
    const gutter = rows.current?.querySelector('.gut')?.getBoundingClientRect().width ?? 0;
    const left = view.left + gutter;
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
      {total === 0 ? <div className="log-none">{props.placeholder}</div> : null}
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
