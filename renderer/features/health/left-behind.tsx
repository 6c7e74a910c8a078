/** What jobs left in Docker: containers kept for a look, what waits for its engine, and what was removed. */
import type { JSX } from 'react';
import type { LeftoversView, OverviewView } from '../../../main/contract/views.ts';
import { askToRemoveKept, copyText } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatInstant, shortId } from '../../format.ts';
import { formatRoute } from '../../router.ts';
import { words } from '../../words.ts';

/** The rest is told of by `preloop-host leftovers`. */
const MOST_REMOVED = 8;
/** As `docker ps` shows it. */
const ID_CHARACTERS = 12;

export interface LeftBehindProps {
  readonly overview: OverviewView;
  readonly connected: boolean;
}

export function LeftBehind({ overview, connected }: LeftBehindProps): JSX.Element {
  const { kept, waiting, removed } = overview.leftovers;
  return (
    <section aria-labelledby="left-behind">
      <div className="sec-head">
        <h2 id="left-behind">{words.health.left}</h2>
      </div>
      {kept.length === 0 && waiting.length === 0 && removed.length === 0 ? (
        <Nothing engine={overview.engine} />
      ) : (
        <>
          {kept.length === 0 ? null : <Kept kept={kept} connected={connected} />}
          {waiting.length === 0 ? null : <Waiting waiting={waiting} />}
          {removed.length === 0 ? null : <Removed removed={removed} />}
        </>
      )}
      {kept.length > 0 ? null : <p className="t3 small keep-how">{words.health.keepHow}</p>}
    </section>
  );
}

/** While Docker is away nobody can say that nothing is left. */
function Nothing({ engine }: Pick<OverviewView, 'engine'>): JSX.Element {
  const { nothingLeft, nothingLeftBody, noDocker } = words.health;
  if (engine.kind !== 'ready') return <p className="t2">{noDocker}</p>;
  return (
    <div className="empty">
      <b>{nothingLeft}</b>
      {nothingLeftBody}
    </div>
  );
}

function Kept({
  kept,
  connected,
}: Pick<LeftoversView, 'kept'> & { readonly connected: boolean }): JSX.Element {
  const nowMs = useNow(60_000);
  const text = words.health;
  return (
    <ul className="panel rows kept" aria-label={text.kept}>
      {kept.map((one) => {
        const command = text.lookCommand(one.id.slice(0, ID_CHARACTERS));
        return (
          <li key={one.id}>
            <span className="t2">
              <Icon name="container" />
            </span>
            <div className="grow">
              <div className="what trunc" title={one.name}>
                {one.name}
              </div>
              <div className="why">
                {`${text.keptFor(one.untilMs - nowMs)} `}
                <a href={formatRoute({ name: 'job', jobId: one.jobId, parameters: '' })}>
                  {text.keptJob(shortId(one.jobId))}
                </a>
              </div>
            </div>
            <div className="acts">
              <Button
                small
                icon="copy"
                title={command}
                label={text.copyLookLabel(one.name)}
                onClick={() => copyText(command, text.commandCopied)}
              >
                {text.copyCommand}
              </Button>
              <Button
                small
                icon="trash"
                label={text.removeLabel(one.name)}
                disabled={!connected}
                onClick={() => askToRemoveKept(one)}
              >
                {text.remove}
              </Button>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function Waiting({ waiting }: Pick<LeftoversView, 'waiting'>): JSX.Element {
  const text = words.health;
  return (
    <>
      <h3 className="removed-head">{text.waitingTitle}</h3>
      <ul className="removed">
        {waiting.map((one) => (
          <li key={`${one.kind} ${one.name}`}>
            <a className="t2" href={formatRoute({ name: 'job', jobId: one.jobId, parameters: '' })}>
              {shortId(one.jobId)}
            </a>
            <span className="trunc" title={one.name}>
              {one.name}
            </span>
            <span className="t2">{text.waiting(one.kind, one.at)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Removed({ removed }: Pick<LeftoversView, 'removed'>): JSX.Element {
  const nowMs = useNow(60_000);
  const text = words.health;
  const older = removed.length - MOST_REMOVED;
  return (
    <>
      <h3 className="removed-head">{text.removedTitle}</h3>
      <ul className="removed">
        {removed.slice(0, MOST_REMOVED).map((one) => (
          <li key={`${one.atMs} ${one.kind} ${one.name}`}>
            <time className="t2" dateTime={new Date(one.atMs).toISOString()}>
              {formatInstant(one.atMs, nowMs)}
            </time>
            <span className="trunc" title={one.name}>
              {one.name}
            </span>
            <span className="t2">{text.removed(one.kind, one.why)}</span>
          </li>
        ))}
      </ul>
      {older <= 0 ? null : <p className="t3 small">{text.olderRemoved(older)}</p>}
    </>
  );
}
