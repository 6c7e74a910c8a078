/** The slots: what each busy one does, how many are free or closed. The picture of the machine. */
import type { JSX, KeyboardEvent } from 'react';
import type { OverviewView, SlotView } from '../../../main/contract/views.ts';
import { askToStop } from '../../actions.ts';
import { AnsiLine } from '../../components/ansi-line.tsx';
import { Button } from '../../components/button.tsx';
import { Glyph } from '../../components/icon.tsx';
import { STATE_GLYPHS } from '../../components/status.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatElapsed, shortImage } from '../../format.ts';
import { takesJobs } from '../../host-state.ts';
import { formatRoute, goTo } from '../../router.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { words } from '../../words.ts';
import { gaugeOf } from './gauge.ts';

/** More busy slots than this are rows of one line. */
const MOST_BAYS = 12;

export function Rack({ overview }: { readonly overview: OverviewView }): JSX.Element {
  const { held, slots } = overview;
  const idle = Math.max(0, slots - held.length);
  const closed = !takesJobs(overview);
  if (slots > MOST_BAYS) return <DenseRack held={held} idle={idle} closed={closed} />;
  const empty = held.length === 0;
  return (
    <section className={`rack${empty ? ' idle' : ''}`} aria-label={words.overview.slots}>
      {held.map((job) => (
        <Bay key={job.jobId} job={job} />
      ))}
      {Array.from({ length: idle }, (_, index) => (
        <div key={index} className={`bay ${closed ? 'closed' : 'free'}`}>
          <b>{closed ? words.overview.closed : words.overview.free}</b>
          {empty && !closed ? words.overview.nextHere[index] : null}
        </div>
      ))}
    </section>
  );
}

function Bay({ job }: { readonly job: SlotView }): JSX.Element {
  const nowMs = useNow();
  const connected = useConnected();
  const sinceMs = job.startedAtMs ?? job.acceptedAtMs;
  const elapsedMs = Math.max(0, nowMs - sinceMs);
  const elapsed = formatElapsed(elapsedMs);
  const open = (): void => goTo({ name: 'job', jobId: job.jobId, parameters: '' });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Enter') open();
    else if (event.key === 's' && connected) askToStop(job);
  };
  return (
    <article
      className="bay"
      tabIndex={0}
      aria-label={`${job.title}, ${words.state(job.state)}`}
      onKeyDown={onKeyDown}
    >
      <div className="bay-top">
        <span className={`st st-${STATE_GLYPHS[job.state]}`} title={words.state(job.state)}>
          <Glyph name={STATE_GLYPHS[job.state]} />
          <span className="vh">{words.state(job.state)}</span>
        </span>
        <a
          className="name trunc plain-link"
          title={job.title}
          href={formatRoute({ name: 'job', jobId: job.jobId, parameters: '' })}
        >
          {job.title}
        </a>
        <time aria-label={words.overview.runningFor(elapsed)}>{elapsed}</time>
        <Button
          kind="ghost"
          small
          icon="stop"
          label={`${words.overview.stop} ${job.title}`}
          disabled={!connected || job.state === 'stopping'}
          onClick={() => askToStop(job)}
        />
      </div>
      <div className="bay-sub trunc" title={job.image ?? job.profile ?? undefined}>
        {[
          job.repository,
          job.image === null ? (job.profile ?? job.agentType) : shortImage(job.image),
        ]
          .filter((part) => part !== null)
          .join(' · ')}
      </div>
      <Gauge job={job} elapsedMs={elapsedMs} />
      <div className="bay-tail" aria-hidden="true">
        {job.lastLines.length === 0 ? (
          <div className="t3">{words.overview.noOutput}</div>
        ) : (
          job.lastLines.map((line, index) => (
            <div key={index} className="trunc">
              <AnsiLine text={line} />
            </div>
          ))
        )}
      </div>
    </article>
  );
}

function Gauge({ job, elapsedMs }: { job: SlotView; elapsedMs: number }): JSX.Element {
  const gauge = gaugeOf(elapsedMs, job.usual);
  const phase = [job.phase, job.progress].filter((part) => part !== null).join(', ');
  const percent = (part: number): string => `${(part * 100).toFixed(2)}%`;
  return (
    <>
      {job.usual === null || gauge === null || job.startedAtMs === null ? null : (
        <div
          className="gauge"
          role="img"
          aria-label={words.overview.gauge(elapsedMs, job.usual.fromMs, job.usual.toMs)}
        >
          <span className="base" />
          <span
            className="band"
            style={{ left: percent(gauge.from), width: percent(gauge.to - gauge.from) }}
          />
          <span className="fill" style={{ width: percent(gauge.now) }} />
          <span className="now" style={{ left: percent(gauge.now) }} />
        </div>
      )}
      <div className="bay-phase">
        <span className="trunc" title={phase}>
          {phase === '' ? words.state(job.state) : phase}
        </span>
        {job.usual === null ? null : (
          <span className="t3 nowrap">
            {words.overview.usually(job.usual.fromMs, job.usual.toMs)}
          </span>
        )}
      </div>
    </>
  );
}

interface DenseRackProps {
  readonly held: readonly SlotView[];
  readonly idle: number;
  readonly closed: boolean;
}

function DenseRack({ held, idle, closed }: DenseRackProps): JSX.Element {
  return (
    <section className="panel dense-rack" aria-label={words.overview.slots}>
      <ul>
        {held.map((job) => (
          <DenseRow key={job.jobId} job={job} />
        ))}
      </ul>
      {idle === 0 ? null : (
        <p className="t3 small">
          {closed ? words.overview.closedCount(idle) : words.overview.freeCount(idle)}
        </p>
      )}
    </section>
  );
}

function DenseRow({ job }: { readonly job: SlotView }): JSX.Element {
  const nowMs = useNow();
  const elapsed = formatElapsed(nowMs - (job.startedAtMs ?? job.acceptedAtMs));
  const phase = [job.phase, job.progress].filter((part) => part !== null).join(', ');
  return (
    <li>
      <span className={`st st-${STATE_GLYPHS[job.state]}`} title={words.state(job.state)}>
        <Glyph name={STATE_GLYPHS[job.state]} />
        <span className="vh">{words.state(job.state)}</span>
      </span>
      <a
        className="medium trunc plain-link"
        href={formatRoute({ name: 'job', jobId: job.jobId, parameters: '' })}
      >
        {job.title}
      </a>
      <span className="t3 trunc grow">{phase}</span>
      <time>{elapsed}</time>
    </li>
  );
}
