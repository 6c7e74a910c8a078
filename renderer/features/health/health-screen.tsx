/** Health: the checks in the order in which one explains the next, what is left here, and what happened when. */
import { useEffect, useRef, type JSX } from 'react';
import type { HealthView } from '../../../main/contract/views.ts';
import { runChecks } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { Glyph } from '../../components/icon.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatInstant } from '../../format.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { useHealthStore } from '../../stores/health-store.ts';
import { speak } from '../../stores/notice-store.ts';
import { useOverview } from '../../stores/overview-store.ts';
import { words } from '../../words.ts';
import { CheckList } from './check-list.tsx';
import { ChecksSkeleton } from './checks-skeleton.tsx';
import { DiskUse } from './disk-use.tsx';
import { EventList } from './event-list.tsx';
import { LeftBehind } from './left-behind.tsx';
import './health.css';

/** What was found longer ago than this is looked at anew when the screen is opened. */
const OLD_MS = 5 * 60_000;
/** The first six are the way to the service. */
const WAY_CHECKS = 6;

export function HealthScreen(): JSX.Element {
  const { health, problem } = useHealthStore();
  const connected = useConnected();
  const overview = useOverview();
  useFreshOnOpening(health, connected);
  useSpokenSummary(health);
  return (
    // Nothing in it can have the focus before the first answer, so that it must not scroll.
    <div className={health === null && overview === null ? 'page' : 'page scrolls'}>
      <header className="head">
        <h1 className="title">{words.health.title}</h1>
        <p className="t2 grow health-sum">{health === null ? null : <Context health={health} />}</p>
        <Button
          kind="primary"
          icon="refresh"
          disabled={!connected || health === null}
          // Stays pressable while it runs, so that the focus is not lost; a second wish joins the first.
          onClick={() => runChecks(null)}
        >
          {health?.running === true ? words.health.running : words.health.runAgain}
        </Button>
      </header>
      {problem === null ? null : <Fault text={problem.message} />}
      <div className="health-cols">
        <div className="health-col">
          {health === null ? (
            problem === null ? (
              <ChecksSkeleton />
            ) : null
          ) : (
            <>
              <CheckList
                id="way"
                title={words.health.way}
                checks={health.checks.slice(0, WAY_CHECKS)}
                connected={connected}
              />
              <CheckList
                id="machine"
                title={words.health.machine}
                checks={health.checks.slice(WAY_CHECKS)}
                connected={connected}
              />
            </>
          )}
          {overview === null ? null : (
            <>
              <DiskUse overview={overview} />
              <LeftBehind overview={overview} connected={connected} />
            </>
          )}
        </div>
        <EventList />
      </div>
    </div>
  );
}

/** How many of each, and how old that is. */
function Context({ health }: { readonly health: HealthView }): JSX.Element {
  const nowMs = useNow(60_000);
  const { checks, checkedAtMs, tookMs, running } = health;
  const under = checks.filter((check) => check.running).length;
  const { summary, checked, checking, unchecked } = words.health;
  const when = running
    ? checking(checks.length - under, checks.length)
    : checkedAtMs === null
      ? unchecked
      : checked(formatInstant(checkedAtMs, nowMs), tookMs);
  return <>{checkedAtMs === null ? when : `${summary(health)} ${when}`}</>;
}

function Fault({ text }: { readonly text: string }): JSX.Element {
  return (
    <ul className="panel rows" role="alert">
      <li>
        <span className="st st-failed">
          <Glyph name="failed" />
        </span>
        <div className="grow">
          <div className="what">{words.health.failedTitle}</div>
          <div className="why">{text}</div>
        </div>
      </li>
    </ul>
  );
}

/** Once an opening: what the person sees next is theirs to ask for. */
function useFreshOnOpening(health: HealthView | null, connected: boolean): void {
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current || health === null || !connected) return;
    asked.current = true;
    const { running, checkedAtMs } = health;
    if (!running && (checkedAtMs === null || Date.now() - checkedAtMs > OLD_MS)) runChecks(null);
  }, [health, connected]);
}

/** For those who do not see the rows change. */
function useSpokenSummary(health: HealthView | null): void {
  const wasRunning = useRef(false);
  const running = health?.running === true;
  const text = health === null ? '' : words.health.summary(health);
  useEffect(() => {
    if (wasRunning.current && !running && text !== '') speak(text);
    wasRunning.current = running;
  }, [running, text]);
}
