/** The strip beside a log: where hits, errors and the view are in the whole of it. Also the log's scroll bar. */
import { memo, useLayoutEffect, useRef, useState, type JSX, type PointerEvent } from 'react';
import { logWords } from '../../job-words.ts';
import { marksPath } from '../../log/ruler-marks.ts';
import { ROW_PX } from '../../log/window-math.ts';
import type { LogSnapshot } from './log-controller.ts';

export interface LogRulerProps {
  readonly snapshot: LogSnapshot;
  /** Records with hits, and records of errors; sorted. */
  readonly hits: readonly number[];
  readonly errors: readonly number[];
  readonly current: number | null;
  readonly onShare: (share: number) => void;
}

const WIDTH_PX = 14;
const LEAST_THUMB_PX = 16;

export function LogRuler({ snapshot, hits, errors, current, onShare }: LogRulerProps): JSX.Element {
  const strip = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const element = strip.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const drag = (event: PointerEvent): void => {
    const box = strip.current?.getBoundingClientRect();
    if (box === undefined || (event.type === 'pointermove' && event.buttons === 0)) return;
    if (event.type === 'pointerdown') strip.current?.setPointerCapture(event.pointerId);
    onShare(Math.max(0, Math.min(1, (event.clientY - box.top) / box.height)));
  };
  const { total, viewportPx } = snapshot;
  const shown = total === 0 ? 1 : Math.min(1, viewportPx / (total * ROW_PX));
  const thumb = Math.max(LEAST_THUMB_PX, shown * height);
  const place =
    total * ROW_PX <= viewportPx
      ? 0
      : (snapshot.first + snapshot.hidden) / Math.max(1, total - viewportPx / ROW_PX);
  // A log that is shorter than the strip is marked beside its rows.
  const marked = Math.min(height, total * ROW_PX);
  return (
    <div ref={strip} className="ruler" onPointerDown={drag} onPointerMove={drag}>
      <svg
        width={WIDTH_PX}
        height={height}
        role="img"
        aria-label={logWords.ruler(hits.length, errors.length)}
      >
        {shown < 1 ? (
          <rect
            className="v"
            x="0"
            y={Math.min(1, place) * (height - thumb)}
            width={WIDTH_PX}
            height={thumb}
            rx="2"
          />
        ) : null}
        <Marks className="h" places={hits} total={total} height={marked} from={3} to={12} />
        <Marks className="e" places={errors} total={total} height={marked} from={1} to={6} />
        {current === null || total === 0 ? null : (
          <rect
            className="c"
            x="0"
            y={(current / total) * (marked - 2)}
            width={WIDTH_PX}
            height="3"
          />
        )}
      </svg>
    </div>
  );
}

interface MarksProps {
  readonly className: string;
  readonly places: readonly number[];
  readonly total: number;
  readonly height: number;
  readonly from: number;
  readonly to: number;
}

const Marks = memo(function Marks({
  className,
  places,
  total,
  height,
  from,
  to,
}: MarksProps): JSX.Element {
  return <path className={className} d={marksPath(places, total, height, { from, to })} />;
});
