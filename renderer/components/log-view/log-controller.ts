/**
 * The moving parts of a log view, outside React: where it is scrolled to, whether it follows, what is selected.
 * Owns the scrolling element; tells React at most once a drawn frame, and of the visible rows only.
 */
import { FOLLOWING, newRecords, nextFollow, type FollowState } from '../../log/follow.ts';
import type { LineStore, LogRow } from '../../log/line-store.ts';
import { ROW_PX, ScrollModel } from '../../log/window-math.ts';

export interface Selection {
  readonly anchor: number;
  readonly head: number;
}

export interface LogSnapshot {
  readonly first: number;
  readonly end: number;
  /** The part of the first row above the edge, 0 to 1. */
  readonly hidden: number;
  readonly total: number;
  readonly follow: FollowState['kind'];
  readonly newRecords: number;
  readonly selection: Selection | null;
  readonly viewportPx: number;
}

/** A log that grows is drawn this often at most: nobody reads faster, and most frames stay free. */
const GROWTH_EVERY_MS = 100;
/** Rows before and after the visible ones that are asked for, so that scrolling seldom meets a hole. */
const AHEAD = 200;
const WHOLE_ROW = 1;

export class LogController {
  readonly #store: LineStore;
  readonly #model = new ScrollModel();
  readonly #listeners = new Set<() => void>();
  readonly #rows = new Map<number, LogRow>();
  readonly #wanted: (from: number, to: number) => void;
  #follow: FollowState = FOLLOWING;
  #selection: Selection | null = null;
  #scroller: HTMLElement | undefined;
  #sizer: HTMLElement | undefined;
  #viewportPx = 0;
  #frame: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drawnAtMs = 0;
  #expected = 0;
  #wrap = false;
  #wrapAtEnd = false;
  #snapshot: LogSnapshot;
  /** A person moved the log since it was opened. */
  touched = false;

  constructor(store: LineStore, wanted: (from: number, to: number) => void) {
    this.#store = store;
    this.#wanted = wanted;
    this.#snapshot = this.#look();
  }

  /** Begins to steer these elements; the returned function lets go of them. */
  attach(scroller: HTMLElement, sizer: HTMLElement): () => void {
    this.#scroller = scroller;
    this.#sizer = sizer;
    const scrolled = (): void => this.#scrolled();
    const rests = (): void => {
      if (this.#model.drift > 1) this.#place(this.#model.resync());
    };
    scroller.addEventListener('scroll', scrolled, { passive: true });
    scroller.addEventListener('scrollend', rests);
    this.#viewportPx = scroller.clientHeight;
    // Measured when it changes only: asking at every drawing would have the browser lay out each time.
    const observer = new ResizeObserver(() => {
      this.#viewportPx = scroller.clientHeight;
      this.#draw();
    });
    observer.observe(scroller);
    const unsubscribe = this.#store.subscribe(() => this.#scheduleIn(GROWTH_EVERY_MS));
    this.#draw();
    return () => {
      unsubscribe();
      observer.disconnect();
      scroller.removeEventListener('scroll', scrolled);
      scroller.removeEventListener('scrollend', rests);
      if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
      clearTimeout(this.#timer);
      this.#frame = undefined;
      this.#timer = undefined;
      this.#scroller = undefined;
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): LogSnapshot => this.#snapshot;

  /** A row with a stable identity while it is near the view, so that unchanged rows are not drawn again. */
  row(record: number): LogRow | undefined {
    const known = this.#rows.get(record);
    if (known !== undefined) return known;
    const row = this.#store.row(record);
    if (row === undefined) return undefined;
    if (this.#rows.size > 4 * AHEAD) this.#rows.clear();
    this.#rows.set(record, row);
    return row;
  }

  /** Draws again with the next frame: something about the rows changed. */
  schedule(): void {
    this.#scheduleIn(0);
  }

  setWrap(wrap: boolean): void {
    this.#wrap = wrap;
    this.#draw();
  }

  /** After drawing with wrapped rows: heights are known now. Returns how far up the rows have to be moved. */
  laidOut(heights: readonly number[]): number {
    const { first, end, hidden, total, viewportPx } = this.#snapshot;
    const whole = heights.reduce((sum, height) => sum + height, 0);
    if (this.#follow.kind === 'reading') {
      const up = hidden * (heights[0] ?? ROW_PX);
      this.#wrapAtEnd = end === total && whole - up <= viewportPx + 1;
      return up;
    }
    this.#wrapAtEnd = true;
    const above = Math.max(0, whole - viewportPx);
    let left = above;
    let at = 0;
    while (left > (heights[at] ?? Infinity)) left -= heights[at++] ?? 0;
    this.#place(this.#model.goTo((first + at + left / (heights[at] ?? ROW_PX)) * ROW_PX));
    return above;
  }

  scrollBy(px: number): void {
    const before = this.#model.top;
    this.#place(this.#model.goTo(before + px));
    this.#moved(px < 0);
  }

  pageBy(direction: 1 | -1): void {
    this.scrollBy(direction * Math.max(ROW_PX, this.#model.viewportPx - 2 * ROW_PX));
  }

  toStart(): void {
    this.touched = true;
    this.#follow = nextFollow(this.#follow, { kind: 'jumped', total: this.#store.total });
    this.#place(this.#model.goTo(0));
    this.#draw();
  }

  /** Goes to the end and stays there. */
  resume(): void {
    this.touched = true;
    this.#follow = nextFollow(this.#follow, { kind: 'resumed' });
    this.#draw();
  }

  /** Brings a record into view; following ends, or it would be gone at once. */
  show(record: number): void {
    this.#follow = nextFollow(this.#follow, { kind: 'jumped', total: this.#store.total });
    this.#resize();
    this.#place(this.#model.goTo(this.#model.topToShow(record)));
    this.#draw();
  }

  /** Shows a record and selects it. */
  pointTo(record: number): void {
    this.#selection = { anchor: record, head: record };
    this.show(record);
  }

  /** Scrolls to this share of the log, 0 to 1. */
  showShare(share: number): void {
    const before = this.#model.top;
    this.#place(this.#model.goTo(share * this.#store.total * ROW_PX - this.#model.viewportPx / 2));
    this.#moved(this.#model.top < before);
  }

  select(selection: Selection | null): void {
    this.#selection = selection;
    this.#draw();
  }

  /** Grows the selection by one row; begins at the edge of the view where there is none. */
  extend(direction: 1 | -1): void {
    const { first, end } = this.#snapshot;
    const start = direction === 1 ? first : Math.max(first, end - 2);
    const { anchor, head } = this.#selection ?? { anchor: start, head: start - direction };
    const next = Math.max(0, Math.min(this.#store.total - 1, head + direction));
    this.#selection = { anchor, head: next };
    this.show(next);
  }

  /**
   * With the next frame that is at least `leastMs` after the last drawing. Waits by a timer: asking for frames
   * only to let them pass would have the browser paint each of them.
   */
  #scheduleIn(leastMs: number): void {
    if (this.#frame !== undefined) return;
    const waitMs = this.#drawnAtMs + leastMs - performance.now();
    if (waitMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.schedule();
      }, waitMs);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#frame = requestAnimationFrame(this.#onFrame);
  }

  #onFrame = (nowMs: number): void => {
    this.#frame = undefined;
    this.#drawnAtMs = nowMs;
    this.#draw();
  };

  #scrolled(): void {
    const scroller = this.#scroller;
    if (scroller === undefined || Math.abs(scroller.scrollTop - this.#expected) < 1.5) return;
    const before = this.#model.top;
    this.#expected = scroller.scrollTop;
    this.#model.scrolled(scroller.scrollTop);
    this.#moved(this.#model.top < before);
  }

  #moved(up: boolean): void {
    this.touched = true;
    const atEnd = this.#wrap ? this.#wrapAtEnd && !up : this.#model.atEnd;
    const event = { kind: 'moved', atEnd, up, total: this.#store.total } as const;
    this.#follow = nextFollow(this.#follow, event);
    this.schedule();
  }

  #resize(): void {
    this.#fit();
    const height = `${this.#model.contentPx}px`;
    if (this.#sizer !== undefined && this.#sizer.style.height !== height)
      this.#sizer.style.height = height;
  }

  #fit(): void {
    const viewportPx = this.#viewportPx;
    const tailPx = this.#wrap ? Math.max(0, viewportPx - ROW_PX) : 0;
    this.#model.resize({ rows: this.#store.total, viewportPx, tailPx });
  }

  /**
   * After drawing: the element gets the height of the log and, while following, is scrolled to its end. Not
   * sooner, as both make the browser lay out, and before the new rows are there it would do so in vain.
   */
  settle(): void {
    this.#resize();
    if (this.#follow.kind === 'following' && !this.#wrap)
      this.#place(this.#model.goTo(this.#model.maxTop));
  }

  #draw(): void {
    this.#fit();
    if (this.#follow.kind === 'following' && !this.#wrap) this.#model.goTo(this.#model.maxTop);
    this.#snapshot = this.#look();
    const { first, end } = this.#snapshot;
    this.#store.readAt(first);
    this.#wanted(Math.max(0, first - AHEAD), end + AHEAD);
    for (const listener of this.#listeners) listener();
  }

  #look(): LogSnapshot {
    const { viewportPx } = this.#model;
    const total = this.#store.total;
    const visible = Math.ceil(viewportPx / ROW_PX) + WHOLE_ROW;
    const pinned = this.#wrap && this.#follow.kind === 'following';
    const window = pinned
      ? { first: Math.max(0, total - visible), end: total, hidden: 0 }
      : this.#model.window();
    return {
      ...window,
      total,
      follow: this.#follow.kind,
      newRecords: newRecords(this.#follow, total),
      selection: this.#selection,
      viewportPx,
    };
  }

  #place(real: number): void {
    const scroller = this.#scroller;
    if (scroller === undefined) return;
    if (Math.abs(scroller.scrollTop - real) >= 1) scroller.scrollTop = real;
    this.#expected = scroller.scrollTop;
  }
}
