/** One profile: on or off with one click, why it is left out, what it would run, its limits and last runs. */
import { Menu } from '@base-ui/react/menu';
import type { JSX } from 'react';
import type {
  ProfileProblemView,
  ProfilesView,
  ProfileView,
} from '../../../main/contract/profile-views.ts';
import { Button } from '../../components/button.tsx';
import { Glyph, Icon } from '../../components/icon.tsx';
import { STATE_GLYPHS, Status } from '../../components/status.tsx';
import { Switch } from '../../components/switch.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatInstant, formatSpan } from '../../format.ts';
import {
  askToRemoveProfile,
  copyProfile,
  downloadProfiles,
  duplicateProfile,
  recheckProfiles,
  wishToTurn,
} from '../../profile-actions.ts';
import { formatRoute } from '../../router.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { words } from '../../words.ts';
import { addressOf } from './profile-address.ts';
import { WouldRun } from './would-run.tsx';

/** More notes than these would bury what the profile is. */
const MOST_WARNINGS = 3;
const GLYPHS = {
  advertised: 'online',
  off: 'offline',
  changed: 'attention',
  left_out: 'attention',
  all_off: 'paused',
} as const satisfies Record<ProfileView['state'], string>;

export interface ProfileCardProps {
  readonly profile: ProfileView;
  readonly view: ProfilesView;
}

export function ProfileCard({ profile, view }: ProfileCardProps): JSX.Element {
  const { name, source, isOn, state, problems, wouldRun } = profile;
  const connected = useConnected();
  const text = words.profiles;
  const id = `profile-${source}-${name}`;
  return (
    <article className="panel prof" aria-labelledby={id}>
      <header className="row">
        <Switch
          isOn={isOn}
          label={text.turnOn(name)}
          // One that is left out can be turned off, and not on.
          disabled={!connected || (state === 'left_out' && !isOn)}
          onTurn={(on) => wishToTurn(name, on, view)}
        />
        <h2 className="prof-name trunc" id={id} title={name}>
          {name}
        </h2>
        <Status glyph={GLYPHS[state]} text={text.state(state)} />
        <span className="grow" />
        {state === 'left_out' ? null : (
          <a
            className="btn"
            href={addressOf({ at: 'try', profile: name })}
            aria-label={text.tryLabel(name)}
          >
            <Icon name="play" />
            {text.tryIt}
          </a>
        )}
        {source === 'own' && profile.draft !== null ? (
          <a
            className="btn ghost"
            href={addressOf({ at: 'edit', profile: name })}
            aria-label={text.editLabel(name)}
          >
            {text.edit}
          </a>
        ) : null}
        <More profile={profile} connected={connected} />
      </header>
      {state === 'changed' ? <Changed /> : null}
      <Problems problems={problems} connected={connected} />
      {wouldRun === null ? null : <WouldRun wouldRun={wouldRun} />}
      <Facts profile={profile} />
    </article>
  );
}

interface MoreProps {
  readonly profile: ProfileView;
  readonly connected: boolean;
}

function More({ profile, connected }: MoreProps): JSX.Element {
  const { name, source, draft } = profile;
  const text = words.profiles;
  const item = (icon: string, label: string, act: () => void, isOff = false): JSX.Element => (
    <Menu.Item onClick={act} disabled={!connected || isOff}>
      <Icon name={icon} />
      {label}
    </Menu.Item>
  );
  return (
    <Menu.Root>
      <Menu.Trigger className="btn icon ghost" aria-label={text.more(name)} title={text.more(name)}>
        <Icon name="more" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="menu-at" sideOffset={4} align="end">
          <Menu.Popup className="menu">
            {item('copy', text.duplicate, () => duplicateProfile(name), draft === null)}
            {item('file', text.copyJson, () => copyProfile(name), draft === null)}
            {item('download', text.download, () => downloadProfiles(name), draft === null)}
            {source === 'own' ? item('trash', text.remove, () => askToRemoveProfile(name)) : null}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** Its own switch is the remedy: what it would run stands right below. */
function Changed(): JSX.Element {
  return (
    <div className="prof-fault">
      <span className="st st-attention">
        <Glyph name="attention" size={16} />
      </span>
      <div className="grow">
        <h3>{words.profiles.changedTitle}</h3>
        <p className="t2">{words.profiles.changedBody}</p>
      </div>
    </div>
  );
}

interface ProblemsProps {
  readonly problems: readonly ProfileProblemView[];
  readonly connected: boolean;
}

/** What leaves it out stands above everything else; what is only to be known, in one quiet line each. */
function Problems({ problems, connected }: ProblemsProps): JSX.Element | null {
  const [first, ...others] = problems.filter(({ severity }) => severity === 'error');
  const warnings = problems.filter(({ severity }) => severity === 'warning');
  return (
    <>
      {first === undefined ? null : (
        <div className="prof-fault">
          <span className="st st-attention">
            <Glyph name="attention" size={16} />
          </span>
          <div className="grow">
            <h3>{first.reason}</h3>
            <p className="t2">{first.remedy}</p>
            {others.map(({ field, code, reason, remedy }) => (
              <p key={`${field} ${code}`} className="t2">{`${reason} ${remedy}`}</p>
            ))}
            <p className="row">
              <Button small icon="refresh" disabled={!connected} onClick={recheckProfiles}>
                {words.profiles.checkAgain}
              </Button>
            </p>
          </div>
        </div>
      )}
      {warnings.slice(0, MOST_WARNINGS).map(({ field, code, reason, remedy }) => (
        <p key={`${field} ${code}`} className="prof-warning small t2">
          <span className="st st-attention">
            <Glyph name="attention" size={12} />
          </span>
          <span>{`${reason} ${remedy}`}</span>
        </p>
      ))}
      {warnings.length <= MOST_WARNINGS ? null : (
        <p className="small t3">{words.profiles.moreNotes(warnings.length - MOST_WARNINGS)}</p>
      )}
    </>
  );
}

function Facts({ profile }: { readonly profile: ProfileView }): JSX.Element {
  const { draft, models, timeoutSeconds, source } = profile;
  const text = words.profiles;
  const facts: readonly (readonly [string, string])[] = [
    ...(draft === null ? [] : [[text.mayWrite, text.mayWriteWords(draft.force_writes)] as const]),
    [text.timeLimit, formatSpan(timeoutSeconds * 1_000)],
    [text.models, models.length === 0 ? text.ownChoice : models.join(', ')],
    ...(draft === null ? [] : [[text.environment, text.passed(draft.pass_env.length)] as const]),
    [text.source, text.sourceWords(source)],
  ];
  return (
    <dl className="facts2">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={value}>{value}</dd>
        </div>
      ))}
      <div>
        <dt>{text.lastRuns}</dt>
        <dd className="prof-runs">
          <LastRuns profile={profile} />
        </dd>
      </div>
    </dl>
  );
}

function LastRuns({ profile }: { readonly profile: ProfileView }): JSX.Element {
  const nowMs = useNow(60_000);
  const text = words.profiles;
  if (profile.lastRuns.length === 0) return <>{text.noRuns}</>;
  return (
    <>
      {profile.lastRuns.map(({ jobId, state, acceptedAtMs }) => {
        const label = text.runLabel(words.state(state), formatInstant(acceptedAtMs, nowMs));
        return (
          <a
            key={jobId}
            className={`run-link st-${STATE_GLYPHS[state]}`}
            href={formatRoute({ name: 'job', jobId, parameters: '' })}
            aria-label={label}
            title={label}
          >
            <Glyph name={STATE_GLYPHS[state]} size={14} />
          </a>
        );
      })}
      <span className="t3">{text.runs(profile.runs)}</span>
    </>
  );
}
