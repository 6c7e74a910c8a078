/** Today's counts, this machine, the connection: one row a fact, a fault in words where there is one. */
import type { JSX, ReactNode } from 'react';
import type { OverviewView } from '../../../main/contract/views.ts';
import { Icon } from '../../components/icon.tsx';
import { Status } from '../../components/status.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatBytes, formatCount, formatDuration, formatInstant, shortId } from '../../format.ts';
import { formatRoute } from '../../router.ts';
import { useHealth } from '../../stores/health-store.ts';
import { words } from '../../words.ts';

interface Props {
  readonly overview: OverviewView;
}

export function Today({ overview }: Props): JSX.Element {
  const { today } = overview;
  const spanOr = (spanMs: number | null): string =>
    spanMs === null ? '–' : formatDuration(spanMs);
  const stats = [
    [formatCount(today.succeeded), words.overview.succeeded],
    [formatCount(today.failed), words.overview.failed],
    [spanOr(today.medianWaitMs), words.overview.medianWait],
    [spanOr(today.medianRunMs), words.overview.medianRun],
  ] as const;
  return (
    <section aria-labelledby="today">
      <div className="sec-head">
        <h2 id="today" className="grow">
          {words.overview.today}
        </h2>
        <span className="small t3">{words.overview.jobsToday(today.total)}</span>
      </div>
      <dl className="stats">
        {stats.map(([value, name]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function Machine({ overview }: Props): JSX.Element {
  const { engine, logBytes, storage, jobsInAll, unreported, runnerId, leftovers } = overview;
  const { usedBytes, budgetBytes } = storage;
  const health = formatRoute({ name: 'health' });
  const nowMs = useNow(60_000);
  const [lastRemoved] = leftovers.removed;
  return (
    <section aria-labelledby="machine">
      <div className="sec-head">
        <h2 id="machine">{words.overview.machine}</h2>
      </div>
      <ul className="kv">
        <Fact icon="container" name={words.overview.docker} title={engine.reason}>
          {engine.kind === 'ready' ? (
            <Status glyph="online" size={12} text={engine.version ?? ''} />
          ) : engine.kind === 'looking' ? (
            words.bar.dockerLooking
          ) : (
            <Status glyph="attention" size={12} text={words.overview.dockerFault(engine.kind)} />
          )}
        </Fact>
        <Fact icon="health" name={words.overview.health}>
          <a className="plain-link" href={health}>
            <HealthCount />
          </a>
        </Fact>
        {usedBytes === null || budgetBytes === null ? null : (
          <Fact icon="disk" name={words.overview.disk}>
            <a className="plain-link" href={health}>
              {usedBytes > budgetBytes ? (
                <Status glyph="attention" size={12} text={words.health.overBudget} />
              ) : (
                words.overview.diskOf(formatBytes(usedBytes), formatBytes(budgetBytes))
              )}
            </a>
          </Fact>
        )}
        <Fact icon="lines" name={words.overview.logs}>
          {formatBytes(logBytes)}
        </Fact>
        <Fact icon="jobs" name={words.overview.jobsKept}>
          {formatCount(jobsInAll)}
        </Fact>
        <Fact icon="arrow" name={words.overview.verdicts}>
          {unreported === 0 ? (
            words.overview.none
          ) : (
            <Status glyph="reporting" size={12} text={formatCount(unreported)} />
          )}
        </Fact>
        {leftovers.kept.length === 0 ? null : (
          <Fact
            icon="container"
            name={words.overview.keptContainers}
            title={words.overview.keptHow}
          >
            <a className="plain-link" href={health}>
              <Status glyph="attention" size={12} text={formatCount(leftovers.kept.length)} />
            </a>
          </Fact>
        )}
        <Fact
          icon="check"
          name={words.overview.leftovers}
          title={
            lastRemoved === undefined ? undefined : words.overview.lastRemoved(lastRemoved.name)
          }
        >
          {lastRemoved === undefined
            ? words.overview.none
            : words.overview.removed(
                leftovers.removed.length,
                formatInstant(lastRemoved.atMs, nowMs),
              )}
        </Fact>
        <Fact icon="key" name={words.overview.runnerId} title={runnerId ?? undefined}>
          {runnerId === null ? (
            words.overview.notYet
          ) : (
            <span className="mono">{shortId(runnerId)}</span>
          )}
        </Fact>
      </ul>
    </section>
  );
}

/** Of the checks: how many need a person. */
function HealthCount(): JSX.Element {
  const health = useHealth();
  if (health === null || health.checkedAtMs === null) return <>{words.overview.notChecked}</>;
  const { attention } = health;
  return attention === 0 ? (
    <>{words.overview.checksPass}</>
  ) : (
    <Status glyph="attention" size={12} text={words.health.attention(attention)} />
  );
}

export function Connection({ overview }: Props): JSX.Element {
  const nowMs = useNow(60_000);
  const { session, server } = overview;
  const glyphs = {
    signed_out: 'attention',
    dialling: 'waiting',
    online: 'online',
    waiting: 'offline',
    refused: 'attention',
    closed: 'offline',
  } as const;
  return (
    <section aria-labelledby="connection">
      <div className="sec-head">
        <h2 id="connection">{words.overview.connection}</h2>
      </div>
      <ul className="kv">
        <Fact icon="globe" name={words.overview.service} title={server.url}>
          {server.embedded ? words.bar.embedded : withoutScheme(server.url)}
        </Fact>
        <Fact icon="link" name={words.overview.session} title={session.cause ?? undefined}>
          <Status glyph={glyphs[session.kind]} size={12} text={words.session[session.kind]} />
        </Fact>
        <Fact icon="clock" name={words.overview.since}>
          {formatInstant(session.sinceMs, nowMs)}
        </Fact>
      </ul>
    </section>
  );
}

interface FactProps {
  readonly icon: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly children: ReactNode;
}

function Fact({ icon, name, title, children }: FactProps): JSX.Element {
  return (
    <li>
      <Icon name={icon} />
      <span>{name}</span>
      <span className="v" title={title}>
        {children}
      </span>
    </li>
  );
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}
