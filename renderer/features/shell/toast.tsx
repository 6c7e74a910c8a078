/** What was done or went wrong just now, and the same for screen readers. */
import { useEffect, type JSX } from 'react';
import { Button } from '../../components/button.tsx';
import { Glyph } from '../../components/icon.tsx';
import { dismissNotice, useNoticeStore } from '../../stores/notice-store.ts';
import { words } from '../../words.ts';

const SHOWN_MS = 6_000;

export function Toast(): JSX.Element | null {
  const notice = useNoticeStore((store) => store.notice);
  useEffect(() => {
    // What went wrong stays until it was read and dismissed.
    if (notice === null || notice.tone === 'failed') return;
    const timer = setTimeout(dismissNotice, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  if (notice === null) return null;
  const glyph = notice.tone === 'failed' ? 'failed' : 'succeeded';
  return (
    <section className="toast" aria-label={words.notice.label}>
      <span className={`st st-${glyph}`}>
        <Glyph name={glyph} />
      </span>
      <span className="grow">
        {notice.text}
        {notice.remedy === null ? null : <span className="t2"> {notice.remedy}</span>}
      </span>
      <Button kind="ghost" small icon="x" label={words.notice.close} onClick={dismissNotice} />
    </section>
  );
}

export function LiveRegion(): JSX.Element {
  const { notice, spoken } = useNoticeStore();
  const text = notice === null ? '' : `${notice.text} ${notice.remedy ?? ''}`;
  return (
    <>
      <div className="vh" role="status" aria-live="polite">
        {notice?.tone === 'quiet' ? text : spoken}
      </div>
      <div className="vh" role="alert">
        {notice?.tone === 'failed' ? text : ''}
      </div>
    </>
  );
}
