/** Host profiles: which of its screens the address names, and the one watch that all of them share. */
import './profile-form.css';
import './profiles.css';
import { useEffect, type JSX } from 'react';
import { Glyph } from '../../components/icon.tsx';
import { useTopic } from '../../host-client/use-topic.ts';
import { countLeftOut } from '../../stores/profile-store.ts';
import { words } from '../../words.ts';
import { EditScreen } from './edit-screen.tsx';
import { ImportScreen } from './import-screen.tsx';
import { LimitsScreen } from './limits-screen.tsx';
import { ProfileList } from './profile-list.tsx';
import { parsePlace } from './profile-address.ts';
import { TryScreen } from './try-screen.tsx';

export interface ProfilesScreenProps {
  readonly parameters: string;
}

export function ProfilesScreen({ parameters }: ProfilesScreenProps): JSX.Element {
  const { view, problem } = useTopic('profiles', {});
  const profiles = view?.profiles;
  useEffect(() => {
    if (profiles !== undefined) countLeftOut(profiles);
  }, [profiles]);
  const place = parsePlace(parameters);
  if (place.at === 'limits') return <LimitsScreen />;
  if (problem !== undefined) return <Fault text={problem.message} remedy={problem.remedy} />;
  if (view === undefined) return <Waiting />;
  switch (place.at) {
    case 'list':
      return <ProfileList view={view} />;
    case 'import':
      return <ImportScreen />;
    case 'new':
      return <EditScreen key="" profile={null} view={view} />;
    case 'edit':
      return <EditScreen key={place.profile} profile={place.profile} view={view} />;
    case 'try':
      return <TryScreen key={place.profile} profile={place.profile} view={view} />;
  }
}

interface FaultProps {
  readonly text: string;
  readonly remedy: string | null;
}

function Fault({ text, remedy }: FaultProps): JSX.Element {
  return (
    <div className="page">
      <h1 className="title">{words.profiles.title}</h1>
      <div role="alert">
        <ul className="panel rows">
          <li>
            <span className="st st-failed">
              <Glyph name="failed" />
            </span>
            <div className="grow">
              <div className="what">{words.profiles.failedTitle}</div>
              <div className="why">{`${text} ${remedy ?? ''}`}</div>
            </div>
          </li>
        </ul>
      </div>
    </div>
  );
}

function Waiting(): JSX.Element {
  return (
    <div className="page" aria-busy="true">
      <h1 className="title">{words.profiles.title}</h1>
      <div className="panel profile-wait" />
    </div>
  );
}
