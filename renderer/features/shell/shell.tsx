/** The frame around every screen: side bar, banner, content, bottom bar, and what lies above them. */
import { useEffect, useRef, type JSX, type ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { Status } from '../../components/status.tsx';
import { pageClient } from '../../host-client/page-client.ts';
import type { Route } from '../../router.ts';
import { useConnectionStore } from '../../stores/connection-store.ts';
import { speak } from '../../stores/notice-store.ts';
import { useOverview } from '../../stores/overview-store.ts';
import { words } from '../../words.ts';
import { BottomBar } from './bottom-bar.tsx';
import { Dialogs } from './dialogs.tsx';
import { hostState } from '../../host-state.ts';
import { useAskedInAddress } from './asked-in-address.ts';
import { useKeys } from './keys.ts';
import { LiveRegion, Toast } from './toast.tsx';
import { SideBar } from './side-bar.tsx';
import './shell.css';

export interface ShellProps {
  readonly route: Route;
  readonly children: ReactNode;
}

export function Shell({ route, children }: ShellProps): JSX.Element {
  const connection = useConnectionStore((store) => store.connection);
  const overview = useOverview();
  const main = useRef<HTMLElement>(null);
  useKeys();
  useAskedInAddress();
  useTitle();
  useSpokenConnection();
  return (
    <div className="app">
      <button
        type="button"
        className="btn skip"
        onClick={() => {
          main.current?.focus();
        }}
      >
        {words.skip}
      </button>
      <SideBar route={route} overview={overview} connected={connection.kind === 'connected'} />
      {connection.kind === 'lost' && overview !== null ? (
        <LostBanner sinceMs={connection.sinceMs} />
      ) : null}
      <main className="main" ref={main} data-region="" tabIndex={-1}>
        {children}
      </main>
      <BottomBar overview={overview} />
      <Toast />
      <LiveRegion />
      <Dialogs />
    </div>
  );
}

function LostBanner({ sinceMs }: { readonly sinceMs: number }): JSX.Element {
  return (
    <section className="banner" aria-label={words.lost.title}>
      <Status glyph="attention" text={words.lost.title} />
      <span className="grow">{words.lost.body(sinceMs)}</span>
      <Button small onClick={() => void pageClient.connect()}>
        {words.lost.retry}
      </Button>
    </section>
  );
}

/** The tab says how the runner is, so that it need not be opened to be read. */
function useTitle(): void {
  const overview = useOverview();
  const title =
    overview === null ? words.product : `${hostState(overview).text} · ${overview.name}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}

function useSpokenConnection(): void {
  const kind = useConnectionStore((store) => store.connection.kind);
  const before = useRef(kind);
  useEffect(() => {
    if (kind === 'lost' && before.current === 'connected') speak(words.lost.spoken);
    if (kind === 'connected' && before.current === 'lost') speak(words.lost.back);
    before.current = kind;
  }, [kind]);
  const overview = useOverview();
  const state = overview === null ? '' : hostState(overview).text;
  const spokenBefore = useRef('');
  useEffect(() => {
    if (spokenBefore.current !== '' && state !== spokenBefore.current) speak(state);
    spokenBefore.current = state;
  }, [state]);
}
