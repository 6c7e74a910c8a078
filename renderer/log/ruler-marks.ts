/** The marks of the ruler beside a log: places drawn as one path, those closer than two pixels as one mark. Pure. */

const MARK_PX = 2;

/** An SVG path of marks across `width`, for `places` (sorted) of `total` on a ruler of `height`. */
export function marksPath(
  places: readonly number[],
  total: number,
  height: number,
  columns: { readonly from: number; readonly to: number },
): string {
  if (total === 0 || height <= 0) return '';
  let path = '';
  let start = -1;
  let end = -1;
  const draw = (): void => {
    if (start >= 0) path += `M${columns.from} ${start}H${columns.to}V${end}H${columns.from}Z`;
  };
  for (const place of places) {
    const top = Math.round((place / total) * (height - MARK_PX));
    if (top < end + MARK_PX && start >= 0) {
      end = Math.max(end, top + MARK_PX);
      continue;
    }
    draw();
    start = top;
    end = top + MARK_PX;
  }
  draw();
  return path;
}
