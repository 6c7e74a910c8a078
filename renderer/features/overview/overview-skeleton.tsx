/** The overview before the first answer: rows of the final height, and nothing at all for a moment. */
import { useEffect, useState, type JSX } from 'react';
import { words } from '../../words.ts';

/** An answer that comes sooner is not announced by grey bars. */
const QUIET_MS = 400;

export function OverviewSkeleton(): JSX.Element {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="page" aria-busy="true">
      <h1 className="vh">{words.bar.connecting}</h1>
      {shown ? (
        <>
          <div className="skeleton wide" />
          <div className="rack">
            <div className="bay closed" />
            <div className="bay closed" />
          </div>
          <div>
            {Array.from({ length: 8 }, (_, index) => (
              <div key={index} className="skeleton-row">
                <span className="skeleton" />
                <span className="skeleton" />
                <span className="skeleton" />
              </div>
            ))}
          </div>
        </>
      ) : null}
    </div>
  );
}
