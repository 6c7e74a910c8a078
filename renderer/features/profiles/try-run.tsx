/** One run of *Try it* as it goes: its conversation, the end of its raw output, what would have been reported. */
import { useState, type JSX } from 'react';
import type { ProfileTryView } from '../../../main/contract/profile-views.ts';
import { Button } from '../../components/button.tsx';
import { Conversation } from '../../components/conversation/conversation.tsx';
import { Icon } from '../../components/icon.tsx';
import { Status } from '../../components/status.tsx';
import { useNow } from '../../components/use-now.ts';
import { conversationWords } from '../../conversation-words.ts';
import { formatDuration, formatElapsed } from '../../format.ts';
import { useTopic } from '../../host-client/use-topic.ts';
import { stopTry } from '../../profile-actions.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { words } from '../../words.ts';

export function TryRun({ id }: { readonly id: string }): JSX.Element {
  const { view, problem } = useTopic('profile_try', { id });
  if (problem !== undefined) return <p role="alert">{problem.message}</p>;
  if (view === undefined) return <div aria-busy="true" />;
  if (view === null) return <p className="t2">{words.profileTry.gone}</p>;
  return <Run run={view} />;
}

interface RunProps {
  readonly run: ProfileTryView;
}

function Run({ run }: RunProps): JSX.Element {
  const connected = useConnected();
  const { conversation, state } = run;
  const text = words.profileTry;
  const isOver = state === 'ended';
  return (
    <>
      <section aria-labelledby="try-talk">
        <div className="sec-head">
          <h2 id="try-talk">{text.conversation}</h2>
          <Standing run={run} />
          <span className="grow" />
          {conversation.model === null ? null : (
            <span className="small t2 trunc">{conversation.model}</span>
          )}
          {isOver ? null : (
            <Button
              small
              kind="danger"
              icon="stop"
              disabled={!connected || state === 'stopping'}
              onClick={() => stopTry(run.id)}
            >
              {state === 'stopping' ? text.stopping : text.stop}
            </Button>
          )}
        </div>
        <div className="panel try-talk">
          <Conversation
            label={conversationWords.label(run.name)}
            entries={conversation.entries}
            before={conversation.earlier}
            onEarlier={null}
            finished={isOver}
            placeholder={isOver ? conversationWords.none : <b>{conversationWords.waiting}</b>}
            note={conversation.earlier === 0 ? <Sandbox /> : text.earlier(conversation.earlier)}
          />
        </div>
      </section>
      {run.reported === null ? null : <Reported reported={run.reported} />}
      {run.tail.length === 0 ? null : <Tail run={run} />}
    </>
  );
}

function Sandbox(): JSX.Element {
  return (
    <>
      <Icon name="info" size={14} />
      {conversationWords.noSandbox}
    </>
  );
}

const GLYPHS = { SUCCEEDED: 'succeeded', FAILED: 'failed', STOPPED: 'stopped' } as const;

function Standing({ run }: RunProps): JSX.Element {
  const nowMs = useNow();
  const text = words.profileTry;
  const { state, startedAtMs, endedAtMs, deadlineMs, reported } = run;
  if (endedAtMs !== null)
    return (
      <Status
        glyph={reported === null ? 'stopped' : GLYPHS[reported.status]}
        text={text.ended(formatDuration(endedAtMs - startedAtMs))}
      />
    );
  if (state === 'starting') return <Status glyph="waiting" text={text.starting} />;
  return (
    <Status
      glyph="running"
      text={text.running(formatElapsed(nowMs - startedAtMs), deadlineMs - startedAtMs)}
    />
  );
}

function Reported({
  reported,
}: {
  readonly reported: NonNullable<ProfileTryView['reported']>;
}): JSX.Element {
  const { status, exitCode, error, result, why } = reported;
  const text = words.profileTry;
  return (
    <section aria-labelledby="try-reported">
      <div className="sec-head">
        <h2 id="try-reported">{text.reported}</h2>
      </div>
      <div className="panel try-reported" role="status">
        {why === null ? null : (
          <p>
            {why.what} <span className="t2">{why.remedy}</span>
          </p>
        )}
        <dl className="reported">
          <dt>{text.status}</dt>
          <dd>
            <Status glyph={GLYPHS[status]} text={status} />
          </dd>
          <dt>{text.exitCode}</dt>
          <dd>{exitCode}</dd>
          {why === null ? null : (
            <>
              <dt>{text.code}</dt>
              <dd className="mono">{why.code}</dd>
            </>
          )}
          <dt>{text.error}</dt>
          <dd>{error === '' ? text.noError : <pre>{error}</pre>}</dd>
          <dt>{text.result}</dt>
          <dd>{result === null ? text.noResult : <pre>{result}</pre>}</dd>
        </dl>
      </div>
    </section>
  );
}

function Tail({ run: { tail, lines } }: RunProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const text = words.profileTry;
  return (
    <section>
      <button
        type="button"
        className="btn ghost sm"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name={open ? 'down' : 'right'} size={14} />
        {text.raw(lines)}
      </button>
      {open ? (
        <>
          {lines > tail.length ? <p className="small t3">{text.rawCut(tail.length)}</p> : null}
          <pre className="turn-out try-tail">{tail.map((line) => line.text).join('\n')}</pre>
        </>
      ) : null}
    </section>
  );
}
