/** The log of one job for its screen: a store, the feed that fills it, and the download of all of it. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { JobView } from '../../../main/contract/views.ts';
import { pageClient } from '../../host-client/page-client.ts';
import { shortId } from '../../format.ts';
import { jobWords, logWords } from '../../job-words.ts';
import { LogFeed, type LogSource } from '../../log/log-feed.ts';
import { LineStore } from '../../log/line-store.ts';
import { rawText } from '../../log/log-text.ts';
import { say } from '../../stores/notice-store.ts';

export interface JobLog {
  readonly store: LineStore;
  /** The last fetch failed. */
  readonly failed: boolean;
  /** It had lines and they are not kept any more. */
  readonly removed: boolean;
  /** Percent, while the log is downloaded. */
  readonly downloading: number | null;
  readonly want: (from: number, to: number) => void;
  readonly download: () => void;
}

const DOWNLOAD_RECORDS = 5_000;
const REST_MS = 50;

/** @param isWanted false while nobody looks at the log: it is then not loaded. Once it was, it goes on. */
export function useJobLog(job: JobView, isWanted = true): JobLog {
  const { jobId } = job;
  const [, setTurn] = useState(0);
  const [downloading, setDownloading] = useState<number | null>(null);
  const { store, feed } = useMemo(() => {
    const made = new LineStore();
    const changed = (): void => setTurn((turn) => turn + 1);
    return { store: made, feed: new LogFeed(made, sourceOf(jobId), { frame, rest }, changed) };
  }, [jobId]);
  // Only what there is on opening; later records come with the watch.
  const [opened] = useState({ records: job.records, lines: job.lines });
  const [wasWanted, setWanted] = useState(isWanted);
  if (isWanted && !wasWanted) setWanted(true);
  useEffect(() => {
    if (!wasWanted) return undefined;
    feed.start(opened.records, opened.lines);
    return () => feed.stop();
  }, [feed, opened, wasWanted]);
  const want = useCallback((from: number, to: number) => feed.want(from, to), [feed]);
  const download = (): void => {
    setDownloading(0);
    void downloadLog(job, setDownloading)
      .catch(() => say(logWords.downloadFailed, 'failed'))
      .finally(() => setDownloading(null));
  };
  const { failed, removed } = feed;
  return { store, failed, removed, downloading, want, download };
}

function sourceOf(jobId: string): LogSource {
  return {
    watch: (fromRecord, take) => pageClient.watchLog(jobId, fromRecord, take),
    page: (fromRecord, limit) => pageClient.request('log.page', { jobId, fromRecord, limit }),
  };
}

/** A page in the background draws nothing; the host then waits until somebody looks again. */
function frame(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => resolve());
  });
}

function rest(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, REST_MS);
  });
}

/** Page by page into a file: the log may be larger than what the page should hold as text. */
async function downloadLog(job: JobView, progress: (percent: number) => void): Promise<void> {
  const parts: Blob[] = [];
  for (let from = 0; ;) {
    const page = await pageClient.request('log.page', {
      jobId: job.jobId,
      fromRecord: from,
      limit: DOWNLOAD_RECORDS,
    });
    if (page.records.length === 0) break;
    parts.push(new Blob([rawText(page.records)]));
    from = page.nextRecord;
    progress(Math.min(99, Math.round((from / Math.max(1, job.records)) * 100)));
  }
  const url = URL.createObjectURL(new Blob(parts, { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName(job);
  link.click();
  URL.revokeObjectURL(url);
}

/** A job without a repository has the start of its id in its title already. */
function fileName({ title, jobId }: JobView): string {
  const id = shortId(jobId);
  const named = title.includes(id) ? title : `${title} ${id}`;
  return `${named.replace(/[^\w.-]+/g, '-')}.log`;
}

/** What stands where the log will be. */
export function placeholderOf(
  job: JobView,
  removed: boolean,
): { readonly title: string; readonly text: string } {
  if (removed) return { title: jobWords.logRemoved, text: jobWords.logRemovedBody };
  if (job.endedAtMs === null)
    return {
      title: jobWords.waitingFirst,
      text: job.phase === null ? '' : jobWords.waitingPhase(job.phase, job.progress),
    };
  if (job.startedAtMs === null) return { title: jobWords.emptyBefore, text: '' };
  return { title: jobWords.empty, text: '' };
}
