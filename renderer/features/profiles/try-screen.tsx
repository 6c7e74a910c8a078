/** *Try it*: a prompt, the run as it goes, and what Preloop would have been told at its end. */
import { useId, useState, type JSX } from 'react';
import {
  TRY_PROMPT_MAX_BYTES,
  type ProfilesView,
  type ProfileView,
} from '../../../main/contract/profile-views.ts';
import { showProblem } from '../../actions.ts';
import { Icon } from '../../components/icon.tsx';
import { pageClient } from '../../host-client/page-client.ts';
import { toProblem } from '../../host-client/problem.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { words } from '../../words.ts';
import { addressOf } from './profile-address.ts';
import { ScreenHead } from './screen-head.tsx';
import { TryRun } from './try-run.tsx';

export interface TryScreenProps {
  readonly profile: string;
  readonly view: ProfilesView;
}

export function TryScreen({ profile, view }: TryScreenProps): JSX.Element {
  const found = view.profiles.find(({ name }) => name.toLowerCase() === profile.toLowerCase());
  const { trying } = view;
  const isHere = trying !== null && trying.name.toLowerCase() === profile.toLowerCase();
  // The host tells of a run a moment after it answered with its id.
  const [begun, setBegun] = useState<string | null>(null);
  const id = isHere ? trying.id : begun;
  const isBusy = trying !== null && !trying.isOver;
  const text = words.profileTry;
  return (
    <div className="page scrolls">
      <ScreenHead title={text.title(profile)} />
      <div className="try">
        <p className="t2">{text.about}</p>
        {found === undefined ? (
          <p className="empty">{words.profileForm.unknownTitle(profile)}</p>
        ) : (
          <Ask profile={found} isBusy={isBusy} onBegun={setBegun} />
        )}
        {trying !== null && !isHere && isBusy ? (
          <p className="t2">
            {text.other(trying.name)}{' '}
            <a className="link" href={addressOf({ at: 'try', profile: trying.name })}>
              {text.toOther}
            </a>
          </p>
        ) : null}
        {id === null ? null : <TryRun key={id} id={id} />}
      </div>
    </div>
  );
}

interface AskProps {
  readonly profile: ProfileView;
  readonly isBusy: boolean;
  readonly onBegun: (id: string) => void;
}

function Ask({ profile, isBusy, onBegun }: AskProps): JSX.Element {
  const connected = useConnected();
  const [prompt, setPrompt] = useState<string>(words.profileTry.promptStart);
  const [model, setModel] = useState('');
  const said = useId();
  const text = words.profileTry;
  const bytes = new TextEncoder().encode(prompt).length;
  const fault =
    prompt.trim() === ''
      ? text.promptEmpty
      : bytes > TRY_PROMPT_MAX_BYTES
        ? text.promptLong(bytes, TRY_PROMPT_MAX_BYTES)
        : null;
  const isUsable = profile.state !== 'left_out';
  const run = (): void => {
    pageClient
      .request('profiles.try', {
        name: profile.name,
        prompt,
        model: model === '' ? null : model,
      })
      .then(
        ({ id }) => onBegun(id),
        (error: unknown) => showProblem(toProblem(error)),
      );
  };
  return (
    <form
      className="try-ask"
      onSubmit={(event) => {
        event.preventDefault();
        if (connected && isUsable && !isBusy && fault === null) run();
      }}
    >
      <label className="form-field">
        <span>{text.prompt}</span>
        <textarea
          className={`area${fault === null ? '' : ' wrong'}`}
          rows={3}
          value={prompt}
          aria-invalid={fault !== null}
          aria-describedby={said}
          onChange={(event) => setPrompt(event.target.value)}
        />
      </label>
      <span id={said} className={fault === null ? 'small t3' : 'message error'}>
        {fault ?? (isUsable ? text.off : text.unusable)}
      </span>
      <div className="row">
        <label className="row">
          <span className="t2">{text.model}</span>
          <select className="line" value={model} onChange={(event) => setModel(event.target.value)}>
            <option value="">{words.profiles.ownChoice}</option>
            {profile.models.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button
          type="submit"
          className="btn primary"
          disabled={!connected || !isUsable || isBusy || fault !== null}
        >
          <Icon name="play" />
          {text.run}
        </button>
      </div>
    </form>
  );
}
