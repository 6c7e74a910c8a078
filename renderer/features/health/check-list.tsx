/** Checks as rows: state, name, what was found. One that needs a person opens itself, with its one remedy. */
import type { JSX } from 'react';
import type { CheckState, CheckView } from '../../../main/contract/views.ts';
import { copyText, runChecks } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { Status } from '../../components/status.tsx';
import { useOverview } from '../../stores/overview-store.ts';
import { words } from '../../words.ts';
import { checkAction } from './check-action.ts';
import { remedyCommand } from './remedy-pieces.ts';
import { Remedy } from './remedy.tsx';
import { useMuting, type Muting } from './use-muting.ts';

const GLYPHS: Readonly<Record<CheckState, string>> = {
  ok: 'online',
  warning: 'attention',
  failed: 'failed',
  skipped: 'next',
  not_applicable: 'next',
  unchecked: 'next',
};

export interface CheckListProps {
  readonly id: string;
  readonly title: string;
  readonly checks: readonly CheckView[];
  readonly connected: boolean;
}

export function CheckList({ id, title, checks, connected }: CheckListProps): JSX.Element {
  return (
    <section aria-labelledby={`checks-${id}`}>
      <div className="sec-head">
        <h2 id={`checks-${id}`}>{title}</h2>
      </div>
      <ul className="panel checks">
        {checks.map((check) => (
          <CheckRow key={check.id} check={check} connected={connected} />
        ))}
      </ul>
    </section>
  );
}

interface CheckRowProps {
  readonly check: CheckView;
  readonly connected: boolean;
}

function CheckRow({ check, connected }: CheckRowProps): JSX.Element {
  const { id, title, state, said, tookMs, running, muted } = check;
  const needsPerson = (state === 'warning' || state === 'failed') && !muted;
  const muting = useMuting(check);
  const quiet = muted || state === 'skipped' || state === 'not_applicable' || state === 'unchecked';
  return (
    <li className={`check-row${needsPerson ? ` ${state}` : ''}${quiet ? ' quiet' : ''}`}>
      <div className="check-line">
        <CheckMark check={check} />
        <b>{title}</b>
        <span className="check-said">{withoutState(said, state)}</span>
        <span className="t3 check-took">
          {tookMs === null || running ? '' : words.health.took(tookMs)}
        </span>
        <span className="check-acts">
          {muted ? (
            <Button
              small
              kind="ghost"
              label={words.health.unmuteLabel(title)}
              disabled={!connected}
              ref={muting.button}
              onClick={muting.toggle}
            >
              {words.health.unmute}
            </Button>
          ) : null}
          <Button
            small
            kind="ghost"
            icon="refresh"
            ref={muting.fallback}
            label={words.health.runOne(title)}
            disabled={!connected}
            onClick={() => runChecks(id)}
          />
        </span>
      </div>
      {needsPerson ? <Fix check={check} connected={connected} muting={muting} /> : null}
    </li>
  );
}

/** The state's word stands before it already. */
function withoutState(said: string, state: CheckState): string {
  const prefix = `${words.health.state(state)}: `;
  if (!said.startsWith(prefix)) return said;
  const rest = said.slice(prefix.length);
  return `${rest.slice(0, 1).toUpperCase()}${rest.slice(1)}`;
}

function CheckMark({ check }: { readonly check: CheckView }): JSX.Element {
  if (check.running) return <Status glyph="waiting" text={words.health.running} />;
  if (check.muted) return <Status glyph="muted" text={words.health.muted} />;
  return <Status glyph={GLYPHS[check.state]} text={words.health.state(check.state)} />;
}

/** What to do about it: a command to copy, or what this page can do itself; and the way to stop hearing of it. */
function Fix({
  check,
  connected,
  muting,
}: CheckRowProps & { readonly muting: Muting }): JSX.Element {
  const action = checkAction(check.id, useOverview());
  const command = check.remedy === null ? null : remedyCommand(check.remedy);
  const { copyCommand, commandCopied, muteLabel } = words.health;
  return (
    <div className="check-fix">
      {check.remedy === null ? null : (
        <p>
          <Remedy text={check.remedy} />
        </p>
      )}
      <div className="row">
        {action === null ? null : (
          <Button small disabled={!connected} onClick={action.act}>
            {action.text}
          </Button>
        )}
        {command === null ? null : (
          <Button small icon="copy" onClick={() => copyText(command, commandCopied)}>
            {copyCommand}
          </Button>
        )}
        <Button
          small
          kind="ghost"
          label={muteLabel(check.title)}
          disabled={!connected}
          ref={muting.button}
          onClick={muting.toggle}
        >
          {words.health.mute}
        </Button>
      </div>
    </div>
  );
}
