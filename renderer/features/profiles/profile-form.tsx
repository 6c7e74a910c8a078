/** The fields of a profile. Checked by the host as it is typed; what is wrong stands under its field once that was left. */
import { useRef, useState, type JSX } from 'react';
import { words } from '../../words.ts';
import { CheckField, Rows, TextField, type ShownProblem } from './form-fields.tsx';
import type { FormState } from './form-state.ts';

export interface ProfileFormProps {
  readonly state: FormState;
  /** By place, as `placeOf` names them. */
  readonly problems: (place: string) => readonly ShownProblem[];
  readonly onChange: (changed: Partial<FormState>) => void;
  readonly onLeave: (place: string) => void;
}

export function ProfileForm(props: ProfileFormProps): JSX.Element {
  const { state, problems, onChange } = props;
  const text = words.profileForm;
  return (
    <>
      <Line {...props} place="name" of="name" label={text.name} hint={text.nameHint} />
      <Line
        {...props}
        place="executable"
        of="executable"
        label={text.executable}
        hint={text.executableHint}
        isMono
      />
      <TextRows {...props} place="argv" of="argv" />
      <TextRows {...props} place="pass_env" of="passEnv" />
      <ModelRows {...props} />
      <Line
        {...props}
        place="workspace_root"
        of="workspaceRoot"
        label={text.workspace}
        hint={text.workspaceHint}
        isMono
      />
      <fieldset className="form-rows">
        <legend>{text.rights}</legend>
        <CheckField
          label={text.force}
          checked={state.forceWrites}
          problems={problems('force_writes')}
          onChange={(forceWrites) => onChange({ forceWrites })}
        />
        <CheckField
          label={text.trust}
          checked={state.trustWorkspace}
          problems={problems('trust_workspace')}
          onChange={(trustWorkspace) => onChange({ trustWorkspace })}
        />
      </fieldset>
      <fieldset className="form-rows">
        <legend>{text.times}</legend>
        <div className="form-times">
          <Line
            {...props}
            place="timeout_seconds"
            of="timeout"
            label={text.timeout}
            hint={text.timeoutHint}
            isNumber
          />
          <Line
            {...props}
            place="linger_seconds"
            of="linger"
            label={text.linger}
            hint={text.lingerHint}
            isNumber
          />
          <Line
            {...props}
            place="stall_seconds"
            of="stall"
            label={text.stall}
            hint={text.stallHint}
            isNumber
          />
        </div>
        <CheckField
          label={text.lingered}
          checked={state.lingeredIsSuccess}
          problems={problems('lingered_is_success')}
          onChange={(lingeredIsSuccess) => onChange({ lingeredIsSuccess })}
        />
      </fieldset>
    </>
  );
}

interface LineProps extends ProfileFormProps {
  readonly place: string;
  readonly of: 'name' | 'executable' | 'workspaceRoot' | 'timeout' | 'linger' | 'stall';
  readonly label: string;
  readonly hint: string;
  readonly isMono?: boolean;
  readonly isNumber?: boolean;
}

function Line({ state, problems, onChange, onLeave, place, of, ...rest }: LineProps): JSX.Element {
  return (
    <TextField
      {...rest}
      value={state[of]}
      problems={problems(place)}
      onChange={(value) => onChange({ [of]: value })}
      onLeave={() => onLeave(place)}
    />
  );
}

interface TextRowsProps extends ProfileFormProps {
  readonly place: 'argv' | 'pass_env';
  readonly of: 'argv' | 'passEnv';
}

function TextRows({ state, problems, onChange, onLeave, place, of }: TextRowsProps): JSX.Element {
  const text = words.profileForm;
  const isArgv = of === 'argv';
  const rows = state[of];
  const growth = useGrowth();
  const change = (next: readonly string[]): void => onChange({ [of]: next });
  const label = isArgv ? text.argument : text.variable;
  return (
    <Rows
      title={isArgv ? text.argv : text.variables}
      hint={isArgv ? text.argvHint : text.variablesHint}
      add={isArgv ? text.addArgument : text.addVariable}
      remove={isArgv ? text.removeArgument : text.removeVariable}
      count={rows.length}
      problems={(row) => problems(`${place}.${row}`)}
      whole={problems(place)}
      onAdd={() => {
        growth.grew();
        change([...rows, '']);
      }}
      onRemove={(row) => change(rows.filter((_, at) => at !== row))}
    >
      {(row, describedBy, isWrong) => (
        <input
          ref={row === rows.length - 1 ? growth.last : undefined}
          className={`line mono grow${isWrong ? ' wrong' : ''}`}
          type="text"
          autoComplete="off"
          spellCheck={false}
          aria-label={label(row)}
          aria-invalid={isWrong}
          aria-describedby={describedBy}
          value={rows[row] ?? ''}
          onChange={(event) =>
            change(rows.map((value, at) => (at === row ? event.target.value : value)))
          }
          onBlur={() => onLeave(`${place}.${row}`)}
        />
      )}
    </Rows>
  );
}

function ModelRows({ state, problems, onChange, onLeave }: ProfileFormProps): JSX.Element {
  const text = words.profileForm;
  const { models } = state;
  const growth = useGrowth();
  const input = (
    of: 'name' | 'alias',
    row: number,
    describedBy: string,
    isWrong: boolean,
  ): JSX.Element => (
    <input
      ref={of === 'name' && row === models.length - 1 ? growth.last : undefined}
      className={`line mono grow${isWrong ? ' wrong' : ''}`}
      type="text"
      autoComplete="off"
      spellCheck={false}
      placeholder={of === 'name' ? text.modelNameHint : text.modelAliasHint}
      aria-label={of === 'name' ? text.modelName(row) : text.modelAlias(row)}
      aria-invalid={isWrong}
      aria-describedby={describedBy}
      value={models[row]?.[of] ?? ''}
      onChange={(event) =>
        onChange({
          models: models.map((model, at) =>
            at === row ? { ...model, [of]: event.target.value } : model,
          ),
        })
      }
      onBlur={() => onLeave(`model_map.${row}`)}
    />
  );
  return (
    <Rows
      title={text.models}
      hint={text.modelsHint}
      add={text.addModel}
      remove={text.removeModel}
      count={models.length}
      problems={(row) => problems(`model_map.${row}`)}
      whole={problems('model_map')}
      onAdd={() => {
        growth.grew();
        onChange({ models: [...models, { name: '', alias: '' }] });
      }}
      onRemove={(row) => onChange({ models: models.filter((_, at) => at !== row) })}
    >
      {(row, describedBy, isWrong) => (
        <>
          {input('name', row, describedBy, isWrong)}
          {input('alias', row, describedBy, isWrong)}
        </>
      )}
    </Rows>
  );
}

/** A row that was added takes the focus, since it is what is typed into next. */
function useGrowth(): {
  readonly grew: () => void;
  readonly last: (element: HTMLInputElement | null) => void;
} {
  const isAwaited = useRef(false);
  const [growth] = useState(() => ({
    grew: () => {
      isAwaited.current = true;
    },
    last: (element: HTMLInputElement | null) => {
      if (element === null || !isAwaited.current) return;
      isAwaited.current = false;
      element.focus();
    },
  }));
  return growth;
}
