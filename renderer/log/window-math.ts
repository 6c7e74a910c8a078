/**
 * Where in a log of any length a scroll position is. Owns the mapping between pixels of the log (20 a row,
 * without limit) and pixels of the element that scrolls, which Chromium caps at 16.7 million. Pure numbers.
 *
 * Up to MAX_CONTENT_PX both are the same. Beyond, the ends still are (EDGE_PX of them), so that the first and
 * last lines scroll as anywhere; the middle is scaled. Small movements count one to one even there, or one notch of
 * a wheel would pass hundreds of rows; `resync` then says where the scroll bar ought to be.
 */
export const ROW_PX = 20;
/** Half of what Chromium can lay out, which leaves room for 200 % zoom. */
export const MAX_CONTENT_PX = 8_000_000;
const EDGE_PX = 200_000;

export interface Window {
  /** The first row of which a part shows. */
  readonly first: number;
  /** After the last. */
  readonly end: number;
  /** The part of the first row that is above the edge, 0 to below 1. */
  readonly hidden: number;
}

export class ScrollModel {
  #rows = 0;
  #viewportPx = 0;
  /** Empty space after the last row; with wrapped rows the end needs some. */
  #tailPx = 0;
  #top = 0;
  #real = 0;

  get viewportPx(): number {
    return this.#viewportPx;
  }

  /** Pixels of the log above the edge. */
  get top(): number {
    return this.#top;
  }

  get maxTop(): number {
    return Math.max(0, this.#rows * ROW_PX + this.#tailPx - this.#viewportPx);
  }

  /** Height of the element that scrolls. */
  get contentPx(): number {
    return Math.min(this.#rows * ROW_PX + this.#tailPx, MAX_CONTENT_PX);
  }

  get #maxReal(): number {
    return Math.max(0, this.contentPx - this.#viewportPx);
  }

  /** Less than one row is below the edge. */
  get atEnd(): boolean {
    return this.#top > this.maxTop - ROW_PX;
  }

  /** The log or its frame has another size; the same row stays at the edge. */
  resize(size: {
    readonly rows: number;
    readonly viewportPx: number;
    readonly tailPx: number;
  }): void {
    this.#rows = size.rows;
    this.#viewportPx = size.viewportPx;
    this.#tailPx = size.tailPx;
    this.#top = clamp(this.#top, this.maxTop);
  }

  /** The element was scrolled to `real`. */
  scrolled(real: number): void {
    const moved = real - this.#real;
    this.#real = real;
    const oneToOne = this.maxTop === this.#maxReal;
    const atEdge = real <= 0 || real >= this.#maxReal;
    this.#top =
      oneToOne || atEdge || Math.abs(moved) >= this.#viewportPx
        ? this.#topOf(clamp(real, this.#maxReal))
        : clamp(this.#top + moved, this.maxTop);
  }

  /** Puts `top` at the edge and returns where the element has to be scrolled to. */
  goTo(top: number): number {
    this.#top = clamp(top, this.maxTop);
    return this.resync();
  }

  /** Where the element has to be for what is shown; to be called once scrolling rests, or when the log grew. */
  resync(): number {
    this.#real = this.#realOf(this.#top);
    return this.#real;
  }

  /** How far the scroll bar is from where it should be. */
  get drift(): number {
    return Math.abs(this.#real - this.#realOf(this.#top));
  }

  window(): Window {
    const first = Math.min(Math.floor(this.#top / ROW_PX), Math.max(0, this.#rows - 1));
    const end = Math.min(this.#rows, first + Math.ceil(this.#viewportPx / ROW_PX) + 1);
    return { first, end, hidden: this.#rows === 0 ? 0 : Math.min(this.#top / ROW_PX - first, 1) };
  }

  /** Where `row` has to be for it to show: unmoved where it does, else a third from the top. */
  topToShow(row: number): number {
    const at = row * ROW_PX;
    const shows = at >= this.#top && at + ROW_PX <= this.#top + this.#viewportPx;
    return shows ? this.#top : at - Math.floor(this.#viewportPx / ROW_PX / 3) * ROW_PX;
  }

  #realOf(top: number): number {
    return bent(top, this.maxTop, this.#maxReal);
  }

  #topOf(real: number): number {
    return bent(real, this.#maxReal, this.maxTop);
  }
}

/** From 0…fromMax to 0…toMax: the same near both ends, a straight line between. */
function bent(value: number, fromMax: number, toMax: number): number {
  if (fromMax === toMax) return value;
  const edge = Math.min(EDGE_PX, fromMax / 4, toMax / 4);
  if (value <= edge) return value;
  if (value >= fromMax - edge) return toMax - (fromMax - value);
  return edge + ((value - edge) * (toMax - 2 * edge)) / (fromMax - 2 * edge);
}

function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(value, max));
}
