/** The bottom bar: what is proven of the connection, and what must be seen from everywhere. */
import type { JSX } from 'react';
import type { OverviewView } from '../../../main/contract/views.ts';
import { Status } from '../../components/status.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatAgo } from '../../format.ts';
import { pausedWords } from '../../host-state.ts';
import { openDialog } from '../../stores/dialog-store.ts';
import { useConnectionStore } from '../../stores/connection-store.ts';
import { words } from '../../words.ts';

export function BottomBar({ overview }: { readonly overview: OverviewView | null }): JSX.Element {
  const nowMs = useNow();
  const { connection, lastAnswerMs } = useConnectionStore();
  const { bar } = words;
  return (
    <footer className="bar" aria-label={bar.label} data-region="" tabIndex={-1}>
      {connection.kind === 'connected' ? (
        <Status glyph="online" text={bar.answered(formatAgo(nowMs - (lastAnswerMs ?? nowMs)))} />
      ) : connection.kind === 'lost' ? (
        <Status glyph="offline" text={bar.lost} />
      ) : (
        <Status glyph="waiting" text={bar.connecting} />
      )}
      {overview === null ? null : <ServiceFacts overview={overview} nowMs={nowMs} />}
      <span className="grow" />
      {overview === null ? null : <Standing overview={overview} />}
      <button type="button" className="b-keys" onClick={() => openDialog({ kind: 'shortcuts' })}>
        <kbd className="kbd">?</kbd>
        {bar.shortcuts}
      </button>
      <span className="t3 b-version">{overview?.version}</span>
    </footer>
  );
}

interface ServiceFactsProps {
  readonly overview: OverviewView;
  readonly nowMs: number;
}

function ServiceFacts({ overview, nowMs }: ServiceFactsProps): JSX.Element {
  const { server, session } = overview;
  const where = server.embedded ? words.bar.embedded : hostOf(server.url);
  const next =
    session.retryAtMs === null ? null : words.bar.nextTry(Math.max(0, session.retryAtMs - nowMs));
  return (
    <span className="dots trunc">
      <span title={server.url}>{where}</span>
      {session.kind === 'online' ? null : <span>{words.session[session.kind]}</span>}
      {next === null ? null : <span>{next}</span>}
    </span>
  );
}

function Standing({ overview }: { readonly overview: OverviewView }): JSX.Element {
  const { engine, intake, unreported } = overview;
  return (
    <>
      {intake === 'paused' || intake === 'draining' ? (
        <Status
          glyph="paused"
          text={
            intake === 'paused'
              ? pausedWords(overview)
              : words.hostState.draining(overview.held.length)
          }
        />
      ) : null}
      {unreported === 0 ? null : (
        <span className="b-rep">
          <Status glyph="reporting" text={words.bar.toReport(unreported)} />
        </span>
      )}
      <span className="b-docker" title={engine.reason}>
        {engine.kind === 'ready' ? (
          words.bar.docker(engine.version ?? '')
        ) : engine.kind === 'looking' ? (
          words.bar.dockerLooking
        ) : (
          <Status glyph="attention" size={12} text={words.overview.dockerFault(engine.kind)} />
        )}
      </span>
    </>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
