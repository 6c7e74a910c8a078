/** The top of a job's screen: what it is, how it stands, what can be done, and its phases. */
import { Menu } from '@base-ui/react/menu';
import type { JSX } from 'react';
import type { JobView } from '../../../main/contract/views.ts';
import { askToStop, copyText, pin, runAgain } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { Glyph, Icon } from '../../components/icon.tsx';
import { STATE_GLYPHS } from '../../components/status.tsx';
import { useNow } from '../../components/use-now.ts';
import {
  formatClock,
  formatDuration,
  formatElapsed,
  formatInstant,
  isSameDay,
} from '../../format.ts';
import { jobWords } from '../../job-words.ts';
import { safeLink } from '../../log/row-pieces.ts';
import { ALL_JOBS, formatRoute } from '../../router.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { words } from '../../words.ts';
import { JobSteps } from './job-steps.tsx';

export interface JobHeadProps {
  readonly job: JobView;
  readonly drawer: boolean;
  /** There is a log to download. */
  readonly downloadable: boolean;
  readonly onDetails: () => void;
  readonly onCopyLink: () => void;
  readonly onDownload: () => void;
  readonly onPhase: (atMs: number) => void;
}

export function JobHead(props: JobHeadProps): JSX.Element {
  const { job } = props;
  const connected = useConnected();
  const preloop = job.consoleUrl === null ? null : safeLink(job.consoleUrl);
  return (
    <header className="jobhead">
      <div className="jobtitle">
        <a
          className="btn icon sm ghost job-back"
          href={formatRoute(ALL_JOBS)}
          aria-label={jobWords.back}
          title={jobWords.back}
        >
          <Icon name="back" />
        </a>
        <h1 className="trunc" title={job.title}>
          {job.title}
        </h1>
        <StatePill job={job} />
        <span className="grow" />
        {preloop === null ? null : (
          <a
            className="btn ghost jh-open"
            href={preloop}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={jobWords.openPreloop}
            title={jobWords.openPreloop}
          >
            <span className="jh-word">{jobWords.openPreloop}</span>
            <Icon name="external" />
          </a>
        )}
        {job.canRunAgain ? (
          <Button icon="refresh" disabled={!connected} onClick={() => runAgain(job.jobId)}>
            {jobWords.runAgain}
          </Button>
        ) : null}
        <Button
          icon="pin"
          label={jobWords.pin}
          title={job.pinned ? jobWords.pinned : jobWords.pin}
          pressed={job.pinned}
          disabled={!connected}
          onClick={() => pin(job, !job.pinned)}
        />
        {job.canStop ? (
          <Button icon="stop" kind="danger" disabled={!connected} onClick={() => askToStop(job)}>
            {jobWords.stop}
          </Button>
        ) : null}
        <span className="jh-details">
          <Button
            icon="columns"
            label={jobWords.details}
            pressed={props.drawer}
            onClick={props.onDetails}
          />
        </span>
        <Menu.Root>
          <Menu.Trigger className="btn icon" aria-label={jobWords.more} title={jobWords.more}>
            <Icon name="more" />
          </Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner className="menu-at" sideOffset={4} align="end">
              <Menu.Popup className="menu">
                <Menu.Item onClick={() => copyText(job.jobId, jobWords.idCopied)}>
                  <Icon name="copy" />
                  {jobWords.copyId}
                </Menu.Item>
                <Menu.Item onClick={props.onCopyLink}>
                  <Icon name="link" />
                  {jobWords.copyLink}
                </Menu.Item>
                <Menu.Item onClick={props.onDownload} disabled={!props.downloadable}>
                  <Icon name="download" />
                  {jobWords.downloadLog}
                </Menu.Item>
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      </div>
      <JobSteps steps={job.timeline} onPhase={props.onPhase} />
    </header>
  );
}

function StatePill({ job }: { readonly job: JobView }): JSX.Element {
  const nowMs = useNow();
  const glyph = STATE_GLYPHS[job.state];
  const fromMs = job.startedAtMs ?? job.acceptedAtMs;
  const ran =
    job.endedAtMs === null ? formatElapsed(nowMs - fromMs) : formatDuration(job.endedAtMs - fromMs);
  const text =
    job.endedAtMs !== null && job.startedAtMs === null
      ? words.state(job.state)
      : `${jobWords.ended(job.state)} ${ran}`;
  return (
    <>
      <span className={`pill st-${glyph}`}>
        <Glyph name={glyph} />
        {text}
      </span>
      {job.endedAtMs === null ? null : (
        <span className="t3 small nowrap jh-when">
          {isSameDay(job.endedAtMs, nowMs)
            ? `today ${formatClock(job.endedAtMs)}`
            : formatInstant(job.endedAtMs, nowMs)}
        </span>
      )}
    </>
  );
}
