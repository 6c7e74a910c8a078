/** The facts beside the log: the run, its container, what Preloop has of it. A drawer where room is short. */
import { useEffect, type JSX, type ReactNode } from 'react';
import type { JobView } from '../../../main/contract/views.ts';
import { Button } from '../../components/button.tsx';
import { useNow } from '../../components/use-now.ts';
import {
  formatBytes,
  formatClockSeconds,
  formatCount,
  formatDuration,
  formatElapsed,
  formatInstant,
  formatSpan,
  isSameDay,
  shortId,
  shortImage,
} from '../../format.ts';
import { jobWords } from '../../job-words.ts';
import { words } from '../../words.ts';

export interface JobDetailsProps {
  readonly job: JobView;
  /** Counts below 1000 px only. */
  readonly open: boolean;
  readonly onClose: () => void;
}

export function JobDetails({ job, open, onClose }: JobDetailsProps): JSX.Element {
  useEffect(() => {
    if (!open) return undefined;
    const escape = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented) onClose();
    };
    addEventListener('keydown', escape);
    return () => removeEventListener('keydown', escape);
  }, [open, onClose]);
  return (
    <aside
      className={`details${open ? ' open' : ''}`}
      aria-label={jobWords.details}
      data-region=""
      tabIndex={0}
    >
      <span className="details-close">
        <Button small kind="ghost" icon="x" label={jobWords.closeDetails} onClick={onClose} />
      </span>
      <Run job={job} />
      {job.profile === null ? <Container job={job} /> : <LocalCommand job={job} />}
      <Sent job={job} />
      {job.markers.length === 0 ? null : (
        <section>
          <h2>{jobWords.markers}</h2>
          <ul className="marks mono">
            {job.markers.map((marker, index) => (
              <li key={index} className="trunc" title={marker}>
                {marker}
              </li>
            ))}
          </ul>
        </section>
      )}
    </aside>
  );
}

function Facts({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}): JSX.Element {
  return (
    <section>
      <h2>{title}</h2>
      <dl className="facts">{children}</dl>
    </section>
  );
}

interface FactProps {
  readonly name: string;
  /** Null leaves the fact out. */
  readonly value: string | null;
  readonly full?: string;
  readonly mono?: boolean;
  readonly quiet?: boolean;
}

function Fact({ name, value, full, mono = false, quiet = false }: FactProps): JSX.Element | null {
  if (value === null) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd className={`${mono ? 'mono' : ''}${quiet ? ' t3' : ''}`} title={full ?? value}>
        {value}
      </dd>
    </>
  );
}

function Run({ job }: { readonly job: JobView }): JSX.Element {
  const nowMs = useNow();
  const at = (ms: number | null): string | null =>
    ms === null ? null : isSameDay(ms, nowMs) ? formatClockSeconds(ms) : formatInstant(ms, nowMs);
  const limitMs = job.container?.timeLimitMs ?? null;
  const leftMs =
    limitMs === null || job.startedAtMs === null || job.endedAtMs !== null
      ? null
      : Math.max(0, job.startedAtMs + limitMs - nowMs);
  const limit = limitMs === null ? null : formatSpan(limitMs);
  return (
    <Facts title={jobWords.run}>
      <Fact name={jobWords.repository} value={job.repository} />
      <Fact
        name={jobWords.flow}
        value={job.flowId === null ? null : shortId(job.flowId)}
        full={job.flowId ?? ''}
        mono
      />
      <Fact name={jobWords.agent} value={job.agentType} />
      <Fact name={jobWords.accepted} value={at(job.acceptedAtMs)} />
      <Fact name={jobWords.started} value={at(job.startedAtMs)} />
      <Fact name={jobWords.ended2} value={at(job.endedAtMs)} />
      <Fact
        name={jobWords.timeLimit}
        value={
          limit === null || leftMs === null
            ? limit
            : jobWords.timeLeft(limit, formatElapsed(leftMs))
        }
      />
      <Fact name={jobWords.execution} value={shortId(job.jobId)} full={job.jobId} mono />
    </Facts>
  );
}

function Container({ job }: { readonly job: JobView }): JSX.Element {
  const { container } = job;
  const image = job.image === null ? null : shortImage(job.image);
  if (container === null)
    return (
      <Facts title={jobWords.container}>
        <Fact name={jobWords.image} value={image} full={job.image ?? ''} />
        <dd className="wide t3">
          {job.endedAtMs === null ? jobWords.noContainerYet : jobWords.noContainer}
        </dd>
      </Facts>
    );
  const { peakMemoryBytes: peak, memoryLimitBytes: limit } = container;
  const share = peak === null || limit === null || limit === 0 ? null : Math.min(1, peak / limit);
  return (
    <Facts title={jobWords.container}>
      <Fact name={jobWords.image} value={image} full={job.image ?? ''} />
      <Fact
        name={jobWords.imageId}
        value={container.imageId === null ? null : shortDigest(container.imageId)}
        full={container.imageId ?? ''}
        mono
      />
      <Fact
        name={jobWords.containerId}
        value={container.id === null ? null : container.id.slice(0, 12)}
        full={container.id ?? ''}
        mono
      />
      <Fact
        name={peak === null ? jobWords.memory : jobWords.memoryPeak}
        value={
          peak === null
            ? limit === null
              ? null
              : formatBytes(limit)
            : limit === null
              ? formatBytes(peak)
              : jobWords.ofLimit(formatBytes(peak), formatBytes(limit))
        }
      />
      {share === null ? null : (
        <dd className="wide">
          <span
            className="meter"
            role="img"
            aria-label={jobWords.memoryMeter(Math.round(share * 100))}
          >
            <i style={{ width: `${share * 100}%` }} />
          </span>
        </dd>
      )}
      <Fact name={jobWords.cpus} value={container.cpus === null ? null : String(container.cpus)} />
      <Fact
        name={jobWords.cpuTime}
        value={container.cpuMs === null ? null : formatDuration(container.cpuMs)}
      />
      <Fact
        name={jobWords.pids}
        value={container.pids === null ? null : formatCount(container.pids)}
      />
      <Fact name={jobWords.network} value={container.network} />
    </Facts>
  );
}

/** A job without a container: what was started here, and the code of its end. */
function LocalCommand({ job }: { readonly job: JobView }): JSX.Element {
  return (
    <Facts title={jobWords.localCommand}>
      <Fact name={jobWords.profile} value={job.profile} />
      <Fact name={jobWords.endCode} value={job.why?.code ?? null} mono />
      <dd className="wide t3">{jobWords.noSandbox}</dd>
    </Facts>
  );
}

function Sent({ job }: { readonly job: JobView }): JSX.Element {
  const { lines, acknowledged } = job.sent;
  const { verdict } = job;
  return (
    <Facts title={jobWords.sent}>
      <Fact
        name={jobWords.sentLog}
        value={
          acknowledged >= lines ? jobWords.sentAll(lines) : jobWords.sentOf(acknowledged, lines)
        }
      />
      {verdict === null ? (
        <Fact name={jobWords.result} value={jobWords.resultLater} quiet />
      ) : (
        <>
          <Fact
            name={jobWords.verdict}
            value={job.reported ? words.state(job.state) : jobWords.resultWaits}
          />
          <Fact
            name={jobWords.exitCode}
            value={job.startedAtMs === null ? null : String(verdict.exitCode)}
          />
          <Fact
            name={jobWords.evidence}
            value={
              verdict.evidenceUpload === null
                ? null
                : jobWords.evidenceWords[verdict.evidenceUpload]
            }
          />
        </>
      )}
    </Facts>
  );
}

/** `9d1c0f6e5b4a` of `sha256:9d1c0f6e5b4a39…`. */
function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}
