/** The last jobs that ended, newest first, and the chart of their run times. */
import type { JSX } from 'react';
import type { JobRow, OverviewView } from '../../../main/contract/views.ts';
import { JobState } from '../../components/status.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatDuration, formatInstant } from '../../format.ts';
import { ALL_JOBS, formatRoute } from '../../router.ts';
import { words } from '../../words.ts';
import { durationChart, ranMs, type DurationChart } from './chart.ts';

const ROWS = 12;

export function LastJobs({ overview }: { readonly overview: OverviewView }): JSX.Element {
  const { lastJobs, jobsInAll } = overview;
  const chart = durationChart(lastJobs);
  return (
    <section aria-labelledby="last-jobs">
      <div className="sec-head">
        <h2 id="last-jobs" className="grow">
          {words.overview.lastJobs}
        </h2>
        {chart === null ? null : <Chart chart={chart} />}
      </div>
      {lastJobs.length === 0 ? (
        <div className="empty none-yet">
          <b>{words.overview.noJobs}</b>
          {words.overview.noJobsBody}
        </div>
      ) : (
        <Table rows={lastJobs.slice(0, ROWS)} />
      )}
      {jobsInAll <= ROWS ? null : (
        <p className="more">
          <a className="t2 plain-link" href={formatRoute(ALL_JOBS)}>
            {words.overview.allJobs(jobsInAll)}
          </a>
        </p>
      )}
    </section>
  );
}

function Chart({ chart }: { readonly chart: DurationChart }): JSX.Element {
  const letters = { good: '', failed: 'f', stopped: 's' } as const;
  return (
    <>
      <span className="small t3">{words.overview.lastOf(chart.bars.length, chart.longest)}</span>
      <div className="durchart" role="img" aria-label={chart.text}>
        {chart.bars.map((bar) => (
          <i key={bar.jobId} className={letters[bar.kind]} style={{ height: bar.heightPx }} />
        ))}
      </div>
    </>
  );
}

function Table({ rows }: { readonly rows: readonly JobRow[] }): JSX.Element {
  const { columns } = words.overview;
  return (
    <table className="tbl last">
      <colgroup>
        <col className="w-state" />
        <col />
        <col className="w-repo c-repo" />
        <col className="w-ended" />
        <col className="w-wait c-wait" />
        <col className="w-ran" />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">{columns.state}</th>
          <th scope="col">{columns.job}</th>
          <th scope="col" className="c-repo">
            {columns.repository}
          </th>
          <th scope="col" className="num">
            {columns.ended}
          </th>
          <th scope="col" className="num c-wait">
            {columns.waited}
          </th>
          <th scope="col" className="num">
            {columns.ran}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.jobId} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row }: { readonly row: JobRow }): JSX.Element {
  const nowMs = useNow(60_000);
  const spanMs = ranMs(row);
  const waitedMs = row.startedAtMs === null ? null : row.startedAtMs - row.acceptedAtMs;
  return (
    <tr>
      <td>
        <JobState state={row.state} />
      </td>
      <td>
        <a
          className="medium plain-link"
          title={row.title}
          href={formatRoute({ name: 'job', jobId: row.jobId, parameters: '' })}
        >
          {row.title}
        </a>
        {row.reason === null ? null : (
          <span className="t3 reason" title={row.reason}>
            {/* The blank parts it from the title for those who hear it. */}
            {` ${row.reason}`}
          </span>
        )}
      </td>
      <td className="t2 c-repo" title={row.repository ?? undefined}>
        {row.repository}
      </td>
      <td className="num t2">
        {row.endedAtMs === null ? '' : formatInstant(row.endedAtMs, nowMs)}
      </td>
      <td className="num t3 c-wait">{waitedMs === null ? '' : formatDuration(waitedMs)}</td>
      <td className="num">{spanMs === null ? '' : formatDuration(spanMs)}</td>
    </tr>
  );
}
