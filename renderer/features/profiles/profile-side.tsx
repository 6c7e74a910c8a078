/** Beside the profiles: Cursor as found on this machine, the client's file, what Preloop learns, what this is not. */
import { useState, type JSX } from 'react';
import type { FoundExecutable, ProfilesView } from '../../../main/contract/profile-views.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Status } from '../../components/status.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatInstant } from '../../format.ts';
import { recheckProfiles } from '../../profile-actions.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { words } from '../../words.ts';
import { addressOf } from './profile-address.ts';

export interface ProfileSideProps {
  readonly view: ProfilesView;
}

export function ProfileSide({ view }: ProfileSideProps): JSX.Element {
  const text = words.profiles;
  return (
    <div className="profile-side">
      <Machine view={view} />
      <section aria-labelledby="profile-learns">
        <div className="sec-head">
          <h2 id="profile-learns">{text.learns}</h2>
        </div>
        <p className="t2 small">{text.learnsBody}</p>
        <Sent sent={view.sent} />
      </section>
      <section aria-labelledby="profile-not">
        <div className="sec-head">
          <h2 id="profile-not">{text.limitsTitle}</h2>
        </div>
        <p className="t2 small">{text.limitsShort}</p>
        <p>
          <a className="link small" href={addressOf({ at: 'limits' })}>
            {text.readAll}
          </a>
        </p>
      </section>
    </div>
  );
}

function Machine({ view: { found, file } }: ProfileSideProps): JSX.Element {
  const connected = useConnected();
  const nowMs = useNow(60_000);
  const text = words.profiles;
  const isLooking = found.state === 'looking';
  return (
    <section aria-labelledby="profile-machine">
      <div className="sec-head">
        <h2 id="profile-machine" className="grow">
          {text.machine}
        </h2>
        <Button
          small
          kind="ghost"
          icon="refresh"
          label={text.lookAgain}
          disabled={!connected}
          onClick={recheckProfiles}
        />
      </div>
      <ul className="found">
        {found.executables.map((one) => (
          <Found
            key={one.name}
            found={one}
            hasOther={found.executables.some(({ path }) => path !== null)}
          />
        ))}
        <li>
          <Icon name="file" />
          <div className="grow">
            <div className="row">
              <span className="grow">{text.file}</span>
              <span className="t2">
                {file.path === '' ? text.fileNowhere : text.fileState(file.exists)}
              </span>
            </div>
            {file.path === '' ? null : <div className="mono t3 found-path">{file.path}</div>}
            {file.isOverridden ? <div className="small t3">{text.fileOverridden}</div> : null}
          </div>
        </li>
      </ul>
      <p className="small t3 found-when" role="status">
        {isLooking
          ? text.looking
          : found.checkedAtMs === null
            ? text.notLooked
            : text.checked(formatInstant(found.checkedAtMs, nowMs))}
      </p>
      {found.state === 'not_yet' ? (
        <Button small disabled={!connected} onClick={recheckProfiles}>
          {text.lookNow}
        </Button>
      ) : null}
    </section>
  );
}

const LOGIN_GLYPHS = {
  signed_in: 'online',
  signed_out: 'attention',
  unknown: 'next',
  not_checked: 'next',
} as const satisfies Record<FoundExecutable['login'], string>;

interface FoundProps {
  readonly found: FoundExecutable;
  /** One of the two is there: that the other is not is then no fault. */
  readonly hasOther: boolean;
}

function Found({ found, hasOther }: FoundProps): JSX.Element {
  const { name, path, problem, version, login } = found;
  const text = words.profiles;
  const told = version ?? (login === 'not_checked' ? '' : text.noVersion);
  return (
    <li>
      <Icon name="profiles" />
      <div className="grow">
        <div className="row">
          <span className="mono grow">{name}</span>
          <span className="t2">{path === null ? text.notFound : told}</span>
        </div>
        {path === null ? null : (
          <>
            <div className="mono t3 found-path">{path}</div>
            <Status glyph={LOGIN_GLYPHS[login]} text={text.login(login)} size={12} />
          </>
        )}
        {problem === null || hasOther ? null : (
          <div className="small t2 found-path">{`${problem.reason} ${problem.remedy}`}</div>
        )}
      </div>
    </li>
  );
}

function Sent({ sent }: { readonly sent: string }): JSX.Element {
  const [open, setOpen] = useState(false);
  const text = words.profiles;
  return (
    <>
      <button
        type="button"
        className="btn ghost sm sent-toggle"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name={open ? 'down' : 'right'} size={14} />
        {open ? text.hideSent : text.showSent}
      </button>
      {open ? <pre className="sent">{sent}</pre> : null}
    </>
  );
}
