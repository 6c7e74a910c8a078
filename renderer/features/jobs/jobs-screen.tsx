/** Jobs: every job that is kept, filtered by state and text; the filter is in the address. */
import { useCallback, useRef, type JSX, type KeyboardEvent, type ReactNode } from 'react';
import type { Problem } from '../../../main/contract/frames.ts';
import { runTestJob } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { formatBytes, formatCount } from '../../format.ts';
import { ALL_JOBS, formatRoute, goTo, replaceRoute, type JobsRoute } from '../../router.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { useOverview } from '../../stores/overview-store.ts';
import { words } from '../../words.ts';
import { CHIPS, countOf, isChosen } from './chips.ts';
import { JobGrid } from './job-grid.tsx';
import type { JobList } from './job-windows.ts';
import { useJobList } from './use-job-list.ts';
import './jobs.css';

export function JobsScreen({ route }: { readonly route: JobsRoute }): JSX.Element {
  const { list, show, retry } = useJobList(route);
  const overview = useOverview();
  const place = formatRoute(route);
  const grid = useRef<HTMLDivElement>(null);
  const focusGrid = useCallback(() => grid.current?.focus(), []);
  return (
    <div className="page jobs-page">
      <header className="head">
        <h1 className="title">{words.jobs.title}</h1>
        <p className="sub grow jobs-sub">
          {overview === null || overview.jobsInAll === 0
            ? null
            : words.jobs.kept(overview.jobsInAll, formatBytes(overview.logBytes))}
        </p>
      </header>
      <Filter route={route} list={list} onLeave={focusGrid} />
      <Body
        route={route}
        list={list}
        retry={retry}
        grid={<JobGrid key={place} place={place} list={list} show={show} gridRef={grid} />}
      />
      <p className="vh" role="status">
        {list.total === null ? words.jobs.loading : words.jobs.found(list.total)}
      </p>
    </div>
  );
}

interface FilterProps {
  readonly route: JobsRoute;
  readonly list: JobList;
  /** Arrow down or Enter: on to the list. */
  readonly onLeave: () => void;
}

function Filter({ route, list, onLeave }: FilterProps): JSX.Element {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && route.text !== '') {
      event.preventDefault();
      replaceRoute({ ...route, text: '' });
    } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault();
      onLeave();
    }
  };
  return (
    <div className="row filters">
      <label className="field filter">
        <Icon name="filter" />
        <input
          type="search"
          data-filter=""
          aria-label={words.jobs.filter}
          placeholder={words.jobs.filterHint}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          value={route.text}
          onKeyDown={onKeyDown}
          onChange={(event) => replaceRoute({ ...route, text: event.target.value })}
        />
        <kbd className="kbd" aria-hidden="true">
          /
        </kbd>
      </label>
      <div className="seg" role="group" aria-label={words.jobs.chips}>
        {CHIPS.map((chip) => (
          <button
            key={chip.text}
            type="button"
            aria-pressed={isChosen(chip, route.states)}
            onClick={() => goTo({ ...route, states: chip.states })}
          >
            {chip.text}{' '}
            <span className="c">
              {list.counts === null ? '' : formatCount(countOf(chip, list.counts))}
            </span>
          </button>
        ))}
      </div>
    </div>
  );
}

interface BodyProps {
  readonly route: JobsRoute;
  readonly list: JobList;
  readonly retry: () => void;
  readonly grid: ReactNode;
}

function Body({ route, list, retry, grid }: BodyProps): ReactNode {
  if (list.problem !== null) return <Failed problem={list.problem} retry={retry} />;
  if (list.total !== 0) return grid;
  return route.text === '' && route.states.length === 0 ? <Empty /> : <NoMatch list={list} />;
}

function Failed({ problem, retry }: { problem: Problem; retry: () => void }): JSX.Element {
  const connected = useConnected();
  return (
    <section className="empty" role="alert">
      <h2>{words.jobs.failedTitle}</h2>
      {problem.message} {problem.remedy}
      <div>
        <Button icon="refresh" onClick={retry} disabled={!connected}>
          {words.jobs.retry}
        </Button>
      </div>
    </section>
  );
}

function Empty(): JSX.Element {
  const overview = useOverview();
  const connected = useConnected();
  return (
    <section className="empty">
      <h2>{words.jobs.emptyTitle}</h2>
      {words.jobs.emptyBody}
      {overview !== null && overview.testJob !== null ? (
        <div>
          <Button
            kind="primary"
            icon="play"
            onClick={runTestJob}
            disabled={!connected || overview.engine.kind !== 'ready'}
          >
            {words.overview.testJob}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

function NoMatch({ list }: { readonly list: JobList }): JSX.Element {
  const all = CHIPS[0];
  const kept = all === undefined || list.counts === null ? 0 : countOf(all, list.counts);
  return (
    <section className="empty">
      <h2>{words.jobs.noMatchTitle}</h2>
      {words.jobs.noMatchBody(kept)}
      <div>
        <Button onClick={() => goTo(ALL_JOBS)}>{words.jobs.clear}</Button>
      </div>
    </section>
  );
}
