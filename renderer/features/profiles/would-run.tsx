/** The exact command line of a profile: what this app adds is dotted, what each job fills in is boxed, the prompt elided. */
import { Fragment, type JSX } from 'react';
import type { CommandPart, WouldRunView } from '../../../main/contract/profile-views.ts';
import { copyText } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { words } from '../../words.ts';

const CLASSES: Readonly<Record<CommandPart['from'], string | undefined>> = {
  profile: undefined,
  runner: 'w-auto',
  job: 'w-var',
};

export interface WouldRunProps {
  readonly wouldRun: WouldRunView;
}

export function WouldRun({ wouldRun }: WouldRunProps): JSX.Element {
  const { parts, line, resolved, problem } = wouldRun;
  const text = words.profiles;
  return (
    <div className="would">
      <div className="row">
        <span className="small t3 grow">{text.wouldRun}</span>
        <Button
          small
          kind="ghost"
          icon="copy"
          label={text.copyLine}
          onClick={() => copyText(line, text.lineCopied)}
        />
      </div>
      <p className="would-line mono">
        <span className="t3" aria-hidden="true">
          $
        </span>{' '}
        {parts.map((part, index) => (
          // The space stands outside: at the end of an argument it would be dropped.
          <Fragment key={index}>
            <span className={CLASSES[part.from]}>{part.text}</span>{' '}
          </Fragment>
        ))}
      </p>
      <p className="small t3 would-keys">
        <span>
          <span className="w-auto">{text.keyRunner}</span> {text.keyRunnerIs}
        </span>
        <span>
          <span className="w-var">{text.keyJob}</span> {text.keyJobIs}
        </span>
        {resolved === null || line.startsWith(resolved) ? null : (
          <span className="mono">{text.starts(resolved)}</span>
        )}
      </p>
      {problem === null ? null : (
        <p className="small would-problem">{`${problem.reason} ${problem.remedy}`}</p>
      )}
    </div>
  );
}
