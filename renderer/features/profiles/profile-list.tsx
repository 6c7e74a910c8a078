/** The profiles of this machine, and beside them what was found here and what Preloop learns. */
import type { JSX } from 'react';
import type { ProfilesView } from '../../../main/contract/profile-views.ts';
import { Button } from '../../components/button.tsx';
import { Glyph, Icon } from '../../components/icon.tsx';
import { downloadProfiles } from '../../profile-actions.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { words } from '../../words.ts';
import { addressOf } from './profile-address.ts';
import { ProfileCard } from './profile-card.tsx';
import { ProfileSide } from './profile-side.tsx';

export interface ProfileListProps {
  readonly view: ProfilesView;
}

export function ProfileList({ view }: ProfileListProps): JSX.Element {
  const connected = useConnected();
  const text = words.profiles;
  const hasOwn = view.profiles.some(({ source }) => source === 'own');
  return (
    <div className="page scrolls">
      <header className="head profile-head">
        <h1 className="title">{text.title}</h1>
        <p className="t2 grow">{text.about}</p>
        {hasOwn ? (
          <Button kind="ghost" disabled={!connected} onClick={() => downloadProfiles(null)}>
            {text.exportAll}
          </Button>
        ) : null}
        <a className="btn ghost" href={addressOf({ at: 'import' })}>
          {text.import}
        </a>
        <a className="btn" href={addressOf({ at: 'new' })}>
          <Icon name="plus" />
          {text.newProfile}
        </a>
      </header>
      <div className="profile-cols">
        <section className="profile-col" aria-label={text.list}>
          <SourceProblems view={view} />
          {view.profiles.length === 0 ? (
            <Empty />
          ) : (
            view.profiles.map((profile) => (
              <ProfileCard
                key={`${profile.source} ${profile.name}`}
                profile={profile}
                all={view.profiles}
              />
            ))
          )}
        </section>
        <ProfileSide view={view} />
      </div>
    </div>
  );
}

function Empty(): JSX.Element {
  const text = words.profiles;
  return (
    <div className="empty">
      <h2>{text.emptyTitle}</h2>
      <p>{text.emptyBody}</p>
      <p className="row">
        <a className="btn primary" href={addressOf({ at: 'new' })}>
          <Icon name="plus" />
          {text.newProfile}
        </a>
        <a className="btn ghost" href={addressOf({ at: 'limits' })}>
          {text.readLimits}
        </a>
      </p>
    </div>
  );
}

/** Of the client's file or our own list as a whole: it may hide profiles, so it stands above all. */
function SourceProblems({ view }: ProfileListProps): JSX.Element | null {
  if (view.problems.length === 0) return null;
  return (
    <div role="alert">
      <ul className="panel rows">
        {view.problems.map(({ source, index, field, reason, remedy }, at) => (
          <li key={`${at} ${source} ${index ?? ''} ${field}`}>
            <span className="st st-attention">
              <Glyph name="attention" />
            </span>
            <div className="grow">
              <div className="what">{words.profiles.fileProblem[source]}</div>
              <div className="why">{`${reason} ${remedy}`}</div>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
