/** The profiles of this machine, and beside them what was found here and what Preloop learns. */
import type { JSX } from 'react';
import type { ProfilesView } from '../../../main/contract/profile-views.ts';
import { Button } from '../../components/button.tsx';
import { Glyph, Icon } from '../../components/icon.tsx';
import { Switch } from '../../components/switch.tsx';
import { downloadProfiles, wishToAllow } from '../../profile-actions.ts';
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
      <Commands view={view} />
      <div className="profile-cols">
        <section className="profile-col" aria-label={text.list}>
          <AllOff view={view} />
          <SourceProblems view={view} />
          {view.profiles.length === 0 ? (
            <Empty />
          ) : (
            view.profiles.map((profile) => (
              <ProfileCard
                key={`${profile.source} ${profile.name}`}
                profile={profile}
                view={view}
              />
            ))
          )}
        </section>
        <ProfileSide view={view} />
      </div>
    </div>
  );
}

/** The one switch above all of theirs: it stands above them, and before there is any. */
function Commands({ view: { isAllowed, profiles } }: ProfileListProps): JSX.Element {
  const connected = useConnected();
  const text = words.profiles;
  const offered = profiles.filter(({ state }) => state === 'advertised').length;
  const onOrOff = isAllowed ? text.commandsOn(offered) : text.commandsOff;
  return (
    <section aria-labelledby="profile-commands" className="panel master">
      <Switch
        isOn={isAllowed}
        label={text.turnAll}
        disabled={!connected}
        onTurn={(on) => wishToAllow(on, profiles)}
      />
      <h2 id="profile-commands">{text.turnAll}</h2>
      <p className="t2">{profiles.length === 0 ? text.commandsNone : onOrOff}</p>
    </section>
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

/** Whatever the switches below say, none of them counts: so it stands above them. */
function AllOff({ view: { isAllowed, profiles } }: ProfileListProps): JSX.Element | null {
  const connected = useConnected();
  const text = words.profiles;
  const waiting = profiles.filter(({ state }) => state === 'all_off').length;
  if (isAllowed || waiting === 0) return null;
  return (
    <div className="prof-fault all-off">
      <span className="st st-paused">
        <Glyph name="paused" size={16} />
      </span>
      <div className="grow">
        <h2>{text.allOffTitle}</h2>
        <p className="t2">{text.allOffBody(waiting)}</p>
      </div>
      <Button small disabled={!connected} onClick={() => wishToAllow(true, profiles)}>
        {text.allowAll}
      </Button>
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
