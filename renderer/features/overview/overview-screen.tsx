/** Overview: is it working, what is it doing, has it been working. In that order. */
import type { JSX } from 'react';
import type { OverviewView } from '../../../main/contract/views.ts';
import { remedyAction, runTestJob } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatClock, formatInstant } from '../../format.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { useOverview } from '../../stores/overview-store.ts';
import { words } from '../../words.ts';
import { Faults } from './faults.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LastJobs } from './last-jobs.tsx';
import { OverviewSkeleton } from './overview-skeleton.tsx';
import { Rack } from './rack.tsx';
import { Connection, Machine, Today } from './side-facts.tsx';
import './overview.css';

export function OverviewScreen(): JSX.Element {
  const overview = useOverview();
  const connected = useConnected();
  if (overview === null) return <OverviewSkeleton />;
  const first = overview.jobsInAll === 0;
  return (
    <div className="page scrolls">
      <Sentence overview={overview} connected={connected} first={first} />
      <Faults overview={overview} connected={connected} />
      <Rack overview={overview} />
      <div className="cols">
        <div className="col">
          {first ? <FirstSteps overview={overview} connected={connected} /> : null}
          <LastJobs overview={overview} />
        </div>
        <div className="col">
          {first ? null : <Today overview={overview} />}
          <Machine overview={overview} />
          <Connection overview={overview} />
        </div>
      </div>
    </div>
  );
}

interface SentenceProps {
  readonly overview: OverviewView;
  readonly connected: boolean;
  readonly first: boolean;
}

function Sentence({ overview, connected, first }: SentenceProps): JSX.Element {
  const { sentence } = overview;
  const remedy = sentence.remedy;
  const newest = overview.lastJobs[0]?.jobId ?? null;
  const act = remedy === null ? undefined : remedyAction(remedy, newest);
  const ready = overview.engine.kind === 'ready' && overview.intake === 'open';
  return (
    <header className="head">
      <div className="grow">
        <h1 className={`sentence ${sentence.tone}`}>
          <b>{sentence.state}</b> <span>{sentence.consequence}</span>
        </h1>
        {/* What only a person can do, as in a terminal. */}
        {remedy === null || act !== undefined ? null : <p className="remedy">{remedy.label}</p>}
        <p className="sub dots">
          <Context overview={overview} first={first} />
        </p>
      </div>
      {overview.testJob !== null && remedy === null && !first ? (
        <Button
          icon="play"
          onClick={runTestJob}
          disabled={!connected || !ready}
          title={overview.testJob.image}
        >
          {words.overview.runTest}
        </Button>
      ) : null}
      {remedy === null ||
      act === undefined ||
      (first && remedy.action === 'run_test_job') ? null : (
        <Button kind="primary" onClick={act} disabled={!connected}>
          {remedy.label}
        </Button>
      )}
    </header>
  );
}

/** What the sentence rests on: since when, how often tried, when work last came. */
function Context({ overview, first }: Omit<SentenceProps, 'connected'>): JSX.Element {
  const nowMs = useNow();
  const { session, server, sentence } = overview;
  const told = sentence.consequence.toLowerCase().includes(session.cause?.toLowerCase() ?? '');
  const cause = told ? null : session.cause;
  const lastAtMs = Math.max(
    0,
    ...overview.held.map((job) => job.acceptedAtMs),
    ...overview.lastJobs.slice(0, 1).map((job) => job.acceptedAtMs),
  );
  if (first && server.embedded) return <span>{words.overview.embedded}</span>;
  return (
    <>
      {session.kind === 'online' ? (
        <span>{words.overview.connectedSince(formatClock(session.sinceMs))}</span>
      ) : null}
      {session.retryAtMs === null ? null : (
        <span>{words.overview.nextTry(Math.max(0, session.retryAtMs - nowMs))}</span>
      )}
      {session.attempt === 0 ? null : <span>{words.overview.tries(session.attempt)}</span>}
      {cause === null ? null : <span>{cause}</span>}
      {lastAtMs === 0 ? null : (
        <span>{words.overview.lastCame(formatInstant(lastAtMs, nowMs))}</span>
      )}
    </>
  );
}
