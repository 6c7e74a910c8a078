/** The pieces of the form: a labelled field with what is wrong with it, and a list of rows that grows. */
import { useId, type JSX, type ReactNode } from 'react';
import type { ProfileProblemView } from '../../../main/contract/profile-views.ts';
import { Button } from '../../components/button.tsx';
import { Glyph } from '../../components/icon.tsx';

export type ShownProblem = Pick<ProfileProblemView, 'code' | 'severity' | 'reason' | 'remedy'>;

export interface MessagesProps {
  readonly id: string;
  readonly problems: readonly ShownProblem[];
}

/** Read out with the field they belong to. */
export function Messages({ id, problems }: MessagesProps): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <span id={id} className="messages">
      {problems.map(({ code, severity, reason, remedy }) => (
        <span key={`${code} ${reason}`} className={`message ${severity}`}>
          <Glyph name={severity === 'error' ? 'failed' : 'attention'} size={12} />
          <span>{`${reason} ${remedy}`}</span>
        </span>
      ))}
    </span>
  );
}

export interface TextFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly problems: readonly ShownProblem[];
  readonly isMono?: boolean;
  readonly isNumber?: boolean;
  readonly onChange: (value: string) => void;
  readonly onLeave: () => void;
}

export function TextField(props: TextFieldProps): JSX.Element {
  const { label, hint, value, problems, isMono = false, isNumber = false } = props;
  const id = useId();
  const isWrong = problems.some(({ severity }) => severity === 'error');
  return (
    <div className="form-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={`line${isMono ? ' mono' : ''}${isNumber ? ' number' : ''}${isWrong ? ' wrong' : ''}`}
        type="text"
        inputMode={isNumber ? 'numeric' : undefined}
        autoComplete="off"
        spellCheck={false}
        value={value}
        aria-invalid={isWrong}
        aria-describedby={`${id}-hint ${id}-said`}
        onChange={(event) => props.onChange(event.target.value)}
        onBlur={props.onLeave}
      />
      <span id={`${id}-hint`} className="small t3">
        {hint}
      </span>
      <Messages id={`${id}-said`} problems={problems} />
    </div>
  );
}

export interface RowsProps {
  readonly title: string;
  readonly hint: string;
  readonly add: string;
  readonly remove: (row: number) => string;
  readonly count: number;
  readonly problems: (row: number) => readonly ShownProblem[];
  readonly whole: readonly ShownProblem[];
  readonly children: (row: number, describedBy: string, isWrong: boolean) => ReactNode;
  readonly onAdd: () => void;
  readonly onRemove: (row: number) => void;
}

/** Each row has its own message. */
export function Rows(props: RowsProps): JSX.Element {
  const id = useId();
  return (
    <fieldset className="form-rows" aria-describedby={`${id}-hint`}>
      <legend>{props.title}</legend>
      <span id={`${id}-hint`} className="small t3">
        {props.hint}
      </span>
      {Array.from({ length: props.count }, (_, row) => {
        const problems = props.problems(row);
        const said = `${id}-${row}`;
        return (
          <div key={row} className="form-row">
            <div className="row">
              {props.children(
                row,
                said,
                problems.some(({ severity }) => severity === 'error'),
              )}
              <Button
                kind="ghost"
                icon="x"
                label={props.remove(row)}
                onClick={() => props.onRemove(row)}
              />
            </div>
            <Messages id={said} problems={problems} />
          </div>
        );
      })}
      <Messages id={`${id}-whole`} problems={props.whole} />
      <span>
        <Button small icon="plus" onClick={props.onAdd}>
          {props.add}
        </Button>
      </span>
    </fieldset>
  );
}

export interface CheckFieldProps {
  readonly label: string;
  readonly checked: boolean;
  readonly problems: readonly ShownProblem[];
  readonly onChange: (checked: boolean) => void;
}

export function CheckField({ label, checked, problems, onChange }: CheckFieldProps): JSX.Element {
  const id = useId();
  return (
    <div>
      <label className="check">
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={`${id}-said`}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      <Messages id={`${id}-said`} problems={problems} />
    </div>
  );
}
