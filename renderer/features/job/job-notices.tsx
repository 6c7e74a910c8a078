/** What has to be said about a job before its log: why it ended so, what it waits for, what came of it. */
import './job-notices.css';
import { useState, useSyncExternalStore, type JSX, type ReactNode } from 'react';
import { permissionViewSchema, type JobView } from '../../../main/contract/views.ts';
import { askToAllow, copyText, goOnline, runAgain } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { Glyph, Icon } from '../../components/icon.tsx';
import { STATE_GLYPHS } from '../../components/status.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatSpan } from '../../format.ts';
import { jobWords } from '../../job-words.ts';
import type { LineStore } from '../../log/line-store.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { useOverview } from '../../stores/overview-store.ts';

export interface JobNoticesProps {
  readonly job: JobView;
  readonly store: LineStore;
  /** There are lines to go to. */
  readonly hasLog: boolean;
  readonly onError: () => void;
  readonly onEnd: () => void;
}

export function JobNotices(props: JobNoticesProps): JSX.Element | null {
  const { job } = props;
  const unreported = job.endedAtMs !== null && !job.reported;
  const outcome = job.pullRequestUrl !== null || job.verdict?.report != null;
  if (job.why === null && job.wantsPermission === null && !unreported && !outcome) return null;
  return (
    <div className="notices">
      {unreported ? <Unreported /> : null}
      {job.wantsPermission !== null ? (
        <Permission job={job} wants={job.wantsPermission} />
      ) : isAllowedSince(job) ? (
        <Allowed job={job} />
      ) : job.why === null ? null : (
        <Why {...props} why={job.why} />
      )}
      {outcome ? <Outcome job={job} /> : null}
    </div>
  );
}

interface NoticeProps {
  readonly tone: string;
  readonly glyph: string;
  readonly label?: string;
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}

/** What Docker or a registry says may go on for a page; the log keeps its room. */
const LONG_CHARS = 300;

function Notice({ tone, glyph, label, title, text, children }: NoticeProps): JSX.Element {
  const [whole, setWhole] = useState(false);
  const isLong = title.length > LONG_CHARS;
  return (
    <section
      className={`job-notice n-${tone}${text === '' ? ' single' : ''}`}
      aria-label={label ?? title}
    >
      <span className={`st-${glyph}`}>
        <Glyph name={glyph} size={16} />
      </span>
      <div className="grow">
        <h2 className={isLong && !whole ? 'clamped' : undefined}>{title}</h2>
        {isLong ? (
          <button
            type="button"
            className="btn ghost sm"
            aria-expanded={whole}
            onClick={() => setWhole(!whole)}
          >
            <Icon name={whole ? 'down' : 'right'} size={14} />
            {whole ? jobWords.lessReason : jobWords.wholeReason}
          </button>
        ) : null}
        {text === '' ? null : <p className="t2">{text}</p>}
      </div>
      {children === undefined ? null : <div className="acts">{children}</div>}
    </section>
  );
}

const TONES: Partial<Record<JobView['state'], string>> = {
  failed: 'failed',
  timed_out: 'failed',
  lost: 'lost',
};

function Why(props: JobNoticesProps & { readonly why: NonNullable<JobView['why']> }): JSX.Element {
  const { job, store, why } = props;
  const errors = useSyncExternalStore(
    (changed) => store.subscribe(changed),
    () => store.errorCount > 0,
  );
  return (
    <Notice
      tone={TONES[job.state] ?? 'quiet'}
      glyph={STATE_GLYPHS[job.state]}
      label={jobWords.whyLabel}
      title={why.what}
      text={why.remedy}
    >
      <Button
        kind="ghost"
        onClick={() => copyText(`${why.what} ${why.remedy}`, jobWords.reasonCopied)}
      >
        {jobWords.copyReason}
      </Button>
      {!props.hasLog ? null : (
        <Button kind="primary" onClick={errors ? props.onError : props.onEnd}>
          {errors ? jobWords.toError : jobWords.toEnd}
          <Icon name="arrow" />
        </Button>
      )}
    </Notice>
  );
}

interface PermissionProps {
  readonly job: JobView;
  readonly wants: NonNullable<JobView['wantsPermission']>;
}

function Permission({ job, wants }: PermissionProps): JSX.Element {
  const connected = useConnected();
  // Some options cannot be allowed from here; their remedy is in words.
  const permission = permissionViewSchema.safeParse(wants).data;
  return (
    <Notice
      tone="paused"
      glyph="attention"
      label={jobWords.whyLabel}
      title={job.why?.what ?? ''}
      text={permission === undefined ? (job.why?.remedy ?? '') : jobWords.allowBody}
    >
      {permission === undefined ? null : (
        <Button
          kind="primary"
          disabled={!connected}
          onClick={() => askToAllow(permission, job.title)}
        >
          {jobWords.allow}
        </Button>
      )}
    </Notice>
  );
}

/** A host leaves out the wish once it is granted; a job without a flow cannot be granted anything. */
function isAllowedSince({ why, wantsPermission, flowId }: JobView): boolean {
  return why?.code === 'permission_needed' && wantsPermission === null && flowId !== null;
}

function Allowed({ job }: { readonly job: JobView }): JSX.Element {
  const connected = useConnected();
  return (
    <Notice tone="quiet" glyph="succeeded" title={jobWords.allowed} text="">
      {job.canRunAgain ? (
        <Button
          kind="primary"
          icon="refresh"
          disabled={!connected}
          onClick={() => runAgain(job.jobId)}
        >
          {jobWords.runAgain}
        </Button>
      ) : null}
    </Notice>
  );
}

function Unreported(): JSX.Element {
  const overview = useOverview();
  const connected = useConnected();
  const nowMs = useNow();
  const offline = overview?.intake === 'offline';
  const retryAtMs = overview?.session.retryAtMs ?? null;
  const next =
    !offline && retryAtMs !== null && retryAtMs > nowMs
      ? ` ${jobWords.nextTry(formatSpan(retryAtMs - nowMs))}`
      : '';
  return (
    <Notice
      tone="waiting"
      glyph="reporting"
      title={jobWords.unreported}
      text={`${offline ? jobWords.unreportedOffline : jobWords.unreportedWhy}${next}`}
    >
      {offline || retryAtMs !== null ? (
        <Button disabled={!connected} onClick={goOnline}>
          {jobWords.tryNow}
        </Button>
      ) : null}
    </Notice>
  );
}

function Outcome({ job }: { readonly job: JobView }): JSX.Element {
  const [open, setOpen] = useState(false);
  const report = job.verdict?.report ?? null;
  const pullRequest = httpsLink(job.pullRequestUrl);
  return (
    <section className="outcome" aria-label={jobWords.report}>
      <div className="outcome-row">
        {report === null ? null : (
          <button
            type="button"
            className="btn ghost sm"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            <Icon name={open ? 'down' : 'right'} size={14} />
            {open ? jobWords.hideReport : jobWords.showReport}
          </button>
        )}
        {report === null || open ? null : (
          <span className="t3 trunc outcome-line">{oneLine(report)}</span>
        )}
        <span className="grow" />
        {open && report !== null ? (
          <Button
            small
            kind="ghost"
            icon="copy"
            onClick={() => copyText(report, jobWords.reportCopied)}
          >
            {jobWords.copyReport}
          </Button>
        ) : null}
        {pullRequest === null ? null : (
          <a
            className="btn sm"
            href={pullRequest.href}
            target="_blank"
            rel="noopener noreferrer"
            title={jobWords.pullRequestAt(pullRequest.host)}
          >
            <Icon name="branch" size={14} />
            {jobWords.pullRequest}
            <span className="t3">{pullRequest.host}</span>
            <Icon name="external" size={14} />
          </a>
        )}
      </div>
      {open && report !== null ? (
        <pre className="report" tabIndex={0} aria-label={jobWords.report}>
          {report}
        </pre>
      ) : null}
    </section>
  );
}

/** Only https: the address comes out of the job's own output. */
function httpsLink(address: string | null): URL | null {
  const url = address === null ? null : URL.parse(address);
  return url?.protocol === 'https:' ? url : null;
}

function oneLine(report: string): string {
  return report.replace(/\s+/g, ' ').slice(0, 300);
}
