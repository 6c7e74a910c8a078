/**
 * A log: find, times, wrap, copy and download above; the rows and their ruler; following and size below. Takes a
 * store and calls back; where the log comes from is the screen's business.
 */
import './log-view.css';
import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type JSX,
  type ReactNode,
  type Ref,
} from 'react';
import { logWords } from '../../job-words.ts';
import { FindSession, type FindPlace } from '../../log/find-session.ts';
import type { FindEngine } from '../../log/find-engine.ts';
import type { FindQuery } from '../../log/find-text.ts';
import type { Target } from '../../log/go-to.ts';
import type { LineStore, LogRow } from '../../log/line-store.ts';
import { firstFollowed } from '../../log/log-feed.ts';
import { MAX_COLUMNS } from '../../log/row-pieces.ts';
import { copyText, timeText, TIME_MODES, type TimeMode } from '../../log/log-text.ts';
import { useStable } from '../use-stable.ts';
import { LogController } from './log-controller.ts';
import { LogFinder } from './log-finder.tsx';
import { LogFoot } from './log-foot.tsx';
import { LogGoTo } from './log-go-to.tsx';
import type { LogCommand } from './log-keys.ts';
import { LogRows } from './log-rows.tsx';
import { LogTools } from './log-tools.tsx';
import { MarkedRuler } from './marked-ruler.tsx';
import { useLogKeys } from './use-log-keys.ts';

export interface LogViewHandle {
  firstError(): void;
  end(): void;
  /** To what was printed then. */
  time(atMs: number): void;
  /** To these records, selected; with the focus, where it is asked for. */
  records(first: number, last: number, takesFocus: boolean): void;
}

export interface LogViewProps {
  readonly title: string;
  readonly store: LineStore;
  readonly makeFindEngine: () => FindEngine;
  readonly startMs: number;
  readonly bytes: number;
  /** To open at; counts from 1. */
  readonly line: number | null;
  /** A finished log opens at its first error. */
  readonly finished: boolean;
  readonly placeholder: ReactNode;
  readonly problem: string | null;
  /** Single letters act as shortcuts. */
  readonly letterKeys: boolean;
  /** There is a log to download. */
  readonly downloadable: boolean;
  /** Progress in percent while the log is downloaded. */
  readonly downloading: number | null;
  readonly onVisible: (from: number, to: number) => void;
  readonly onDownload: () => void;
  readonly onCopy: (text: string, done: string) => void;
  readonly onSay: (text: string) => void;
  readonly onCopyLink: (line: number) => void;
  readonly onDetails: () => void;
  /** A person selected this record, or nothing any more. */
  readonly onSelect?: (record: number | null) => void;
  readonly handle: Ref<LogViewHandle>;
}

/** A hit that begins this near the cut of a long line may be cut itself; such a line is shown whole. */
const LONGEST_SHOWN_HIT = 100;
const NO_QUERY: FindQuery = { text: '', matchCase: false, wholeWord: false, regex: false };

export function LogView(props: LogViewProps): JSX.Element {
  const { store, startMs, onVisible } = props;
  const section = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const visible = useRef(onVisible);
  visible.current = onVisible;
  const [controller] = useState(
    () => new LogController(store, (from, to) => visible.current(from, to)),
  );
  const [find, setFind] = useState<FindSession>();
  const [query, setQuery] = useState(NO_QUERY);
  const [time, setTime] = useState<TimeMode>('start');
  const [wrap, setWrap] = useState(false);
  const [goingTo, setGoingTo] = useState(false);
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());

  const expand = useCallback(
    (record: number) => setExpanded((known) => new Set([...known, record])),
    [],
  );
  const reveal = useRef((place: FindPlace) => {
    if (place.start >= MAX_COLUMNS - LONGEST_SHOWN_HIT) expand(place.record);
    controller.touched = true;
    controller.show(place.record);
  });

  const { makeFindEngine } = props;
  useEffect(() => {
    const changed = (): void => controller.schedule();
    const session = new FindSession(store, makeFindEngine(), changed, (place) =>
      reveal.current(place),
    );
    setFind(session);
    return () => session.stop();
  }, [store, makeFindEngine, controller]);

  const tellSelected = useStable(() =>
    props.onSelect?.(controller.snapshot().selection?.head ?? null),
  );
  const showLine = useCallback(
    (line: number) => {
      const { record } = store.recordOfLine(line);
      controller.touched = true;
      controller.pointTo(record);
      tellSelected();
    },
    [store, controller, tellSelected],
  );
  const { line, finished } = props;
  /** There is nothing, and nothing will come. */
  const empty = finished && !props.downloadable;
  useOpening({ controller, store, line, finished, showLine, ready: find !== undefined });

  const step = (direction: 1 | -1): void => {
    const { first, end } = controller.snapshot();
    const place = find?.step(direction, direction === 1 ? first : end);
    if (place !== null && place !== undefined) reveal.current(place);
  };
  const stepError = (direction: 1 | -1): void => {
    const errors = store.errors();
    const { first, end, selection } = controller.snapshot();
    const from = selection?.head ?? (direction === 1 ? first - 1 : end);
    const next =
      direction === 1
        ? errors.find((record) => record > from)
        : errors.findLast((record) => record < from);
    const target = next ?? (direction === 1 ? errors[0] : errors.at(-1));
    if (target === undefined) return;
    controller.touched = true;
    controller.pointTo(target);
  };
  const pick = useCallback(
    (record: number, extend: boolean) => {
      const { selection } = controller.snapshot();
      const same = selection?.anchor === record && selection.head === record;
      if (extend && selection !== null)
        controller.select({ anchor: selection.anchor, head: record });
      else controller.select(same ? null : { anchor: record, head: record });
      tellSelected();
    },
    [controller, tellSelected],
  );
  const search = (next: FindQuery): void => {
    setQuery(next);
    find?.search(next.text === '' ? null : next);
  };
  const leaveFind = (): void => {
    search({ ...query, text: '' });
    focusRows();
  };
  const focusRows = (): void => section.current?.querySelector<HTMLElement>('.lines')?.focus();
  const copy = useStable((withTimes: boolean) => {
    const rows = selectedRows(store, controller);
    if (rows.length === 0) {
      props.onSay(logWords.nothingToCopy);
      return;
    }
    const mode = time === 'off' ? 'start' : time;
    const timed = withTimes ? (row: LogRow) => timeText(mode, row.atMs, startMs) : null;
    props.onCopy(copyText(rows, timed), logWords.copied(rows.length));
  });
  const download = useStable(props.onDownload);
  const goTo = (target: Target): void => {
    setGoingTo(false);
    focusRows();
    if (target.kind === 'line') showLine(target.line);
    else {
      const record = store.recordAt(target.atMs);
      controller.pointTo(record);
    }
  };
  const changeWrap = useStable(() => {
    setWrap(!wrap);
    controller.setWrap(!wrap);
  });
  const toggleFollow = (): void => {
    if (controller.snapshot().follow === 'following') controller.scrollBy(-1);
    else controller.resume();
  };
  const run = (command: LogCommand): boolean => {
    const act: Readonly<Record<LogCommand, () => void>> = {
      find: () => {
        input.current?.focus();
        input.current?.select();
      },
      'next-hit': () => step(1),
      'previous-hit': () => step(-1),
      'next-error': () => stepError(1),
      'previous-error': () => stepError(-1),
      start: () => controller.toStart(),
      end: () => controller.resume(),
      'page-down': () => controller.pageBy(1),
      'page-up': () => controller.pageBy(-1),
      'row-down': () => controller.scrollBy(20),
      'row-up': () => controller.scrollBy(-20),
      follow: toggleFollow,
      'go-to': () => setGoingTo(true),
      times: () => setTime(nextTime(time)),
      wrap: changeWrap,
      'select-down': () => controller.extend(1),
      'select-up': () => controller.extend(-1),
      copy: () => copy(false),
      'copy-times': () => copy(true),
      'copy-link': () => props.onCopyLink(currentLine(store, controller)),
      details: props.onDetails,
      clear: () => {
        if (query.text !== '') leaveFind();
        else controller.select(null);
      },
    };
    // Text that was marked with the mouse is the browser's to copy.
    if (command === 'copy' && (getSelection()?.toString() ?? '') !== '') return false;
    if (command === 'clear' && query.text === '' && controller.snapshot().selection === null)
      return false;
    const before = controller.snapshot().selection;
    act[command]();
    if (controller.snapshot().selection !== before) tellSelected();
    return true;
  };
  useLogKeys(section, props.letterKeys, run);
  useImperativeHandle(props.handle, () => ({
    firstError: () => {
      controller.select({ anchor: -1, head: -1 });
      stepError(1);
      focusRows();
    },
    end: () => controller.resume(),
    time: (atMs) => goTo({ kind: 'time', atMs }),
    records: (first, last, takesFocus) => {
      controller.touched = true;
      controller.select({ anchor: first, head: last });
      controller.show(first);
      if (takesFocus) focusRows();
    },
  }));

  return (
    <section ref={section} className="log" aria-label={logWords.log(props.title)}>
      <div className="logbar" role="group" aria-label={logWords.tools}>
        {find === undefined ? null : (
          <LogFinder
            controller={controller}
            store={store}
            find={find}
            query={query}
            disabled={empty}
            inputRef={input}
            onQuery={search}
            onStep={step}
            onLeave={leaveFind}
          />
        )}
        <span className="grow" />
        <LogTools
          controller={controller}
          time={time}
          wrap={wrap}
          downloadable={props.downloadable}
          downloading={props.downloading}
          onTime={setTime}
          onWrap={changeWrap}
          onCopy={copy}
          onDownload={download}
        />
      </div>
      <div className="logmain">
        {find === undefined ? null : (
          <>
            <LogRows
              controller={controller}
              find={find}
              label={logWords.log(props.title)}
              time={time}
              startMs={startMs}
              wrap={wrap}
              finished={finished}
              expanded={expanded}
              onExpand={expand}
              onPick={pick}
              placeholder={props.placeholder}
            />
            <MarkedRuler controller={controller} find={find} store={store} />
          </>
        )}
        {goingTo ? (
          <LogGoTo startMs={startMs} onGo={goTo} onClose={() => setGoingTo(false)} />
        ) : null}
      </div>
      <LogFoot
        controller={controller}
        store={store}
        bytes={props.bytes}
        finished={finished}
        problem={props.problem}
        finding={query.text !== ''}
        empty={empty}
      />
    </section>
  );
}

interface Opening {
  readonly controller: LogController;
  readonly store: LineStore;
  readonly line: number | null;
  readonly finished: boolean;
  readonly showLine: (line: number) => void;
  /** The rows have their place on the page. */
  readonly ready: boolean;
}

/** Opens at the line of the address; else, when the job is over, at the first error, as soon as it is known. */
function useOpening(opening: Opening): void {
  const { controller, store, line, finished, showLine, ready } = opening;
  const wasFinished = useRef(finished);
  useEffect(() => {
    if (!ready) return undefined;
    let waits = true;
    const look = (): void => {
      if (!waits) return;
      if (line !== null) {
        const { record, exact } = store.recordOfLine(line - 1);
        if (store.total === 0) return;
        showLine(line - 1);
        // A guess is mended once the rows around it are there.
        waits = !exact && store.missing(record, record + 1) !== null;
      } else if (!wasFinished.current || controller.touched) waits = false;
      else if (store.errorCount > 0) {
        const first = store.errors()[0] ?? 0;
        // The end is fetched before the rest; an error there need not be the first.
        if (store.missing(firstFollowed(store.total), first) !== null) return;
        waits = false;
        controller.pointTo(first);
      }
    };
    look();
    return store.subscribe(look);
  }, [controller, store, line, showLine, ready]);
}

function nextTime(time: TimeMode): TimeMode {
  return TIME_MODES[(TIME_MODES.indexOf(time) + 1) % TIME_MODES.length] ?? 'start';
}

function selectedRows(store: LineStore, controller: LogController): LogRow[] {
  const { selection } = controller.snapshot();
  if (selection === null) return [];
  const from = Math.max(0, Math.min(selection.anchor, selection.head));
  const to = Math.max(selection.anchor, selection.head);
  const rows: LogRow[] = [];
  for (let record = from; record <= to; record++) {
    const row = store.row(record);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** The line that a link should lead to, from 1: the selected one, else the topmost. */
function currentLine(store: LineStore, controller: LogController): number {
  const { selection, first } = controller.snapshot();
  const record = selection === null ? first : Math.min(selection.anchor, selection.head);
  return (store.row(record)?.line ?? 0) + 1;
}
