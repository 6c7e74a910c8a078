/** The checks before the first answer: rows of the final height, and nothing at all for a moment. */
import { useEffect, useState, type JSX } from 'react';
import { words } from '../../words.ts';

/** An answer that comes sooner is not announced by grey bars. */
const QUIET_MS = 400;
const ROWS = 8;

export function ChecksSkeleton(): JSX.Element {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy="true">
      <span className="vh">{words.bar.connecting}</span>
      {shown ? (
        <div className="panel checks">
          {Array.from({ length: ROWS }, (_, index) => (
            <div key={index} className="check-row check-wait">
              <span className="skeleton" />
              <span className="skeleton" />
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
}
