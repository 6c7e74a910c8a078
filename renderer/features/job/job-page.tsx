/** The parts of a job's screen put together: head, what needs saying, log, details. */
import { useRef, useState, type JSX } from 'react';
import type { JobView } from '../../../main/contract/views.ts';
import { copyText } from '../../actions.ts';
import { LogView, type LogViewHandle } from '../../components/log-view/log-view.tsx';
import { jobWords, logWords } from '../../job-words.ts';
import { WorkerFindEngine } from '../../log/find-engine.ts';
import { replaceRoute, useRoute } from '../../router.ts';
import { say } from '../../stores/notice-store.ts';
import { usePreferencesStore } from '../../stores/preferences-store.ts';
import { JobDetails } from './job-details.tsx';
import { JobHead } from './job-head.tsx';
import { HostBody } from './host-body.tsx';
import { lookOf, withLook } from './job-look.ts';
import { JobNotices } from './job-notices.tsx';
import { placeholderOf, useJobLog } from './use-job-log.ts';
import type { PickedRecord } from './use-turn-lines.ts';

const makeFindEngine = (): WorkerFindEngine => new WorkerFindEngine();

export function JobPage({ job }: { readonly job: JobView }): JSX.Element {
  const route = useRoute();
  const letterKeys = usePreferencesStore((store) => store.letterKeys);
  const handle = useRef<LogViewHandle>(null);
  const [drawer, setDrawer] = useState(false);
  const [picked, setPicked] = useState<PickedRecord | null>(null);
  const parameters = route.name === 'job' ? route.parameters : '';
  const isHostJob = job.profile !== null;
  const look = isHostJob ? lookOf(parameters) : 'raw';
  const log = useJobLog(job, look !== 'talk');
  const copyLink = (line: number | null): void =>
    line === null
      ? copyText(addressOf(job.jobId, ''), jobWords.linkCopied)
      : copyText(addressOf(job.jobId, `?line=${line}`), logWords.linkCopied(line));
  const { title, text } = placeholderOf(job, log.removed);
  const hasLog = job.records > 0 && !log.removed;
  const show = (next: typeof look): void =>
    replaceRoute({ name: 'job', jobId: job.jobId, parameters: withLook(parameters, next) });
  /** What is gone to is in the log, which may have to be shown first. */
  const inLog = (go: (log: LogViewHandle) => void): void => {
    if (look === 'talk') show('raw');
    // The log has its rows in the frame after the one it comes in.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (handle.current !== null) go(handle.current);
      }),
    );
  };
  const logView = (
    <LogView
      title={job.title}
      store={log.store}
      makeFindEngine={makeFindEngine}
      startMs={job.startedAtMs ?? log.store.firstAtMs ?? job.acceptedAtMs}
      bytes={job.logBytes}
      line={lineOf(parameters)}
      finished={job.endedAtMs !== null}
      placeholder={
        <>
          <b>{title}</b>
          {text === '' ? null : <span>{text}</span>}
        </>
      }
      problem={log.failed ? logWords.readFailed : null}
      letterKeys={letterKeys}
      downloadable={hasLog}
      downloading={log.downloading}
      onVisible={log.want}
      onDownload={log.download}
      onCopy={copyText}
      onSay={say}
      onCopyLink={copyLink}
      onDetails={() => setDrawer(!drawer)}
      onSelect={(record) => setPicked(record === null ? null : { record })}
      handle={handle}
    />
  );
  return (
    <div className="job">
      <JobHead
        job={job}
        drawer={drawer}
        downloadable={hasLog}
        onDetails={() => setDrawer(!drawer)}
        onCopyLink={() => copyLink(null)}
        onDownload={log.download}
        onPhase={(atMs) => inLog((to) => to.time(atMs))}
      />
      <JobNotices
        job={job}
        store={log.store}
        hasLog={hasLog}
        onError={() => inLog((to) => to.firstError())}
        onEnd={() => inLog((to) => to.end())}
      />
      <div className="jobbody">
        {isHostJob ? (
          <HostBody
            job={job}
            removed={log.removed}
            look={look}
            onLook={show}
            letterKeys={letterKeys}
            picked={picked}
            onLines={({ first, last }, takesFocus) => {
              setPicked({ record: first });
              inLog((to) => to.records(first, last, takesFocus));
            }}
          >
            {look === 'talk' ? null : logView}
          </HostBody>
        ) : (
          logView
        )}
        <JobDetails job={job} open={drawer} onClose={() => setDrawer(false)} />
      </div>
    </div>
  );
}

/** `line=4097`: where the log opens. */
function lineOf(parameters: string): number | null {
  const line = new URLSearchParams(parameters).get('line') ?? '';
  return /^[1-9]\d{0,8}$/.test(line) ? Number(line) : null;
}

function addressOf(jobId: string, query: string): string {
  return `${location.origin}${location.pathname}#/jobs/${encodeURIComponent(jobId)}${query}`;
}
