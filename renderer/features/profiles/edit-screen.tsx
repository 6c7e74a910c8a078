/** Making or changing a profile of this app: the form, what it would run as it stands, and what keeps it from being saved. */
import { useRef, useState, type JSX } from 'react';
import { EMPTY_DRAFT, type ProfilesView } from '../../../main/contract/profile-views.ts';
import { showProblem } from '../../actions.ts';
import { Button } from '../../components/button.tsx';
import { Status } from '../../components/status.tsx';
import { pageClient } from '../../host-client/page-client.ts';
import { toProblem } from '../../host-client/problem.ts';
import { PROFILES } from '../../profile-actions.ts';
import { goTo } from '../../router.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { say } from '../../stores/notice-store.ts';
import { words } from '../../words.ts';
import type { ShownProblem } from './form-fields.tsx';
import { draftOf, placeOf, stateOf, twiceNamed, type FormState } from './form-state.ts';
import { ScreenHead } from './screen-head.tsx';
import { ProfileForm } from './profile-form.tsx';
import { useChecked, type Checked } from './use-checked.ts';
import { WouldRun } from './would-run.tsx';

export interface EditScreenProps {
  /** Null: a new one. */
  readonly profile: string | null;
  readonly view: ProfilesView;
}

export function EditScreen({ profile, view }: EditScreenProps): JSX.Element {
  const found = view.profiles.find(({ name, source }) => name === profile && source === 'own');
  // What was typed stays, whatever becomes of the profile meanwhile.
  const [begun] = useState(() => (profile === null ? EMPTY_DRAFT : (found?.draft ?? null)));
  const text = words.profileForm;
  return (
    <div className="page scrolls">
      <ScreenHead title={profile === null ? text.newTitle : text.editTitle(profile)} />
      {begun === null ? (
        <div className="empty">
          <h2>{text.unknownTitle(profile ?? '')}</h2>
          {text.unknownBody}
        </div>
      ) : (
        <Editor profile={profile} begun={stateOf(begun)} />
      )}
    </div>
  );
}

interface EditorProps {
  readonly profile: string | null;
  readonly begun: FormState;
}

function Editor({ profile, begun }: EditorProps): JSX.Element {
  const connected = useConnected();
  const [state, setState] = useState(begun);
  // A fault is shown where something was typed and left, and everywhere once somebody wanted to save.
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [wantsAll, setWantsAll] = useState(profile !== null);
  const form = useRef<HTMLFormElement>(null);
  const draft = draftOf(state);
  const { checked, isChecking } = useChecked(draft, profile);
  const byPlace = problemsByPlace(checked, state);
  const faults = [...byPlace.values()].flat().filter(({ severity }) => severity === 'error').length;
  const problems = (place: string): readonly ShownProblem[] =>
    (byPlace.get(place) ?? []).filter(
      ({ severity }) => wantsAll || left.has(place) || severity === 'warning',
    );
  const text = words.profileForm;
  const save = (): void => {
    setWantsAll(true);
    if (twiceNamed(state.models).length > 0) {
      showFirstFault(form.current);
      return;
    }
    pageClient.request('profiles.save', { draft, editing: profile }).then(
      ({ saved }) => {
        if (!saved) {
          showFirstFault(form.current);
          return;
        }
        say(text.saved(draft.name.trim(), profile === null));
        goTo(PROFILES);
      },
      (error: unknown) => showProblem(toProblem(error)),
    );
  };
  return (
    <form
      ref={form}
      className="profile-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (connected) save();
      }}
    >
      <p className="t2">{text.about}</p>
      <ProfileForm
        state={state}
        problems={problems}
        onChange={(changed) => setState((before) => ({ ...before, ...changed }))}
        onLeave={(place) => setLeft((known) => new Set([...known, place]))}
      />
      {checked?.wouldRun == null ? (
        <div className="would">
          <span className="small t3">{words.profiles.wouldRun}</span>
          <p className="t2">{text.notYet}</p>
        </div>
      ) : (
        <WouldRun wouldRun={checked.wouldRun} />
      )}
      {problems('').map(({ code, reason, remedy }) => (
        <p key={code} className="t2">{`${reason} ${remedy}`}</p>
      ))}
      <div className="form-foot">
        <button type="submit" className="btn primary" disabled={!connected}>
          {text.save}
        </button>
        <Button kind="ghost" onClick={() => goTo(PROFILES)}>
          {text.cancel}
        </Button>
        <span role="status">
          {isChecking || checked === null ? (
            <span className="t3">{text.checking}</span>
          ) : faults === 0 ? (
            <Status glyph="online" text={text.sound} />
          ) : (
            <Status glyph="attention" text={text.faults(faults)} />
          )}
        </span>
      </div>
    </form>
  );
}

function problemsByPlace(
  checked: Checked | null,
  state: FormState,
): ReadonlyMap<string, readonly ShownProblem[]> {
  const byPlace = new Map<string, ShownProblem[]>();
  const add = (place: string, problem: ShownProblem): void => {
    byPlace.set(place, [...(byPlace.get(place) ?? []), problem]);
  };
  for (const problem of checked?.problems ?? []) add(placeOf(problem, state), problem);
  for (const row of twiceNamed(state.models))
    add(`model_map.${row}`, {
      code: 'model_map_invalid',
      severity: 'error',
      reason: words.profileForm.modelTwice,
      remedy: '',
    });
  return byPlace;
}

/** Once the messages are drawn. */
function showFirstFault(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
