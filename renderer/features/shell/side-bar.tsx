/** The side bar: this runner and its state, the way to everything, the appearance. */
import type { JSX } from 'react';
import type { OverviewView } from '../../../main/contract/views.ts';
import { Glyph, Icon } from '../../components/icon.tsx';
import { Status } from '../../components/status.tsx';
import { formatBadge } from '../../format.ts';
import { ALL_JOBS, formatRoute, type Route } from '../../router.ts';
import { openDialog } from '../../stores/dialog-store.ts';
import { useHealth } from '../../stores/health-store.ts';
import { useLeftOut } from '../../stores/profile-store.ts';
import { setPreferences, usePreferencesStore, type Theme } from '../../stores/preferences-store.ts';
import { words } from '../../words.ts';
import { HostMenu } from './host-menu.tsx';
import { hostState, rackCells, rackWords } from '../../host-state.ts';
import { modKey } from './keys.ts';
import { PauseMenu } from './pause-menu.tsx';
import './nav-count.css';

/** More cells than this cannot be told apart in the side bar; they are drawn without gaps then. */
const CELLS_APART = 12;

export interface SideBarProps {
  readonly route: Route;
  readonly overview: OverviewView | null;
  readonly connected: boolean;
}

export function SideBar({ route, overview, connected }: SideBarProps): JSX.Element {
  const attention = useHealth()?.attention ?? 0;
  const leftOut = useLeftOut();
  return (
    <aside className="side" aria-label={words.host.bar} data-region="" tabIndex={-1}>
      <section className="host" aria-label={words.host.label}>
        <HostBlock overview={overview} connected={connected} />
      </section>
      <button
        type="button"
        className="goto"
        title={words.goTo}
        onClick={() => openDialog({ kind: 'palette' })}
      >
        <Icon name="search" size={14} />
        <span className="grow">{words.goTo}</span>
        <kbd className="kbd">{modKey}K</kbd>
      </button>
      <nav className="nav" aria-label={words.nav.label}>
        <Place to={{ name: 'overview' }} icon="overview" text={words.nav.overview} route={route} />
        <Place
          to={ALL_JOBS}
          icon="jobs"
          text={words.nav.jobs}
          route={route}
          count={overview?.held.length ?? 0}
          countWords={words.nav.running(overview?.held.length ?? 0)}
        />
        <Place
          to={{ name: 'permissions' }}
          icon="shield"
          text={words.nav.permissions}
          route={route}
        />
        <Place
          to={{ name: 'profiles', parameters: '' }}
          icon="profiles"
          text={words.nav.profiles}
          route={route}
          count={leftOut}
          countWords={words.profiles.leftOut(leftOut)}
          countGlyph="attention"
        />
        <Place
          to={{ name: 'health' }}
          icon="health"
          text={words.nav.health}
          route={route}
          count={attention}
          countWords={words.health.attention(attention)}
          countGlyph="attention"
        />
      </nav>
      <div className="foot">
        <ThemeSwitch />
      </div>
    </aside>
  );
}

function HostBlock({ overview, connected }: Omit<SideBarProps, 'route'>): JSX.Element {
  const state =
    overview === null || !connected
      ? { glyph: 'offline', text: words.hostState.unknown }
      : hostState(overview);
  return (
    <>
      <HostMenu overview={overview} connected={connected}>
        <span className="grow">
          <span className="host-name trunc">{overview?.name ?? words.product}</span>
          <span className="host-state">
            <Status glyph={state.glyph} text={state.text} size={12} />
          </span>
        </span>
      </HostMenu>
      {overview === null ? null : (
        <>
          <Rack overview={overview} />
          <div className="host-line">
            <span className="trunc">{rackWords(overview)}</span>
            <PauseMenu overview={overview} connected={connected} />
          </div>
        </>
      )}
    </>
  );
}

function Rack({ overview }: { readonly overview: OverviewView }): JSX.Element {
  const cells = rackCells(overview);
  const letter = { busy: 'b', free: '', closed: 'c' } as const;
  return (
    <div
      className={`rack-mini${cells.length > CELLS_APART ? ' dense' : ''}`}
      role="img"
      aria-label={rackWords(overview)}
    >
      {cells.map((cell, index) => (
        <i key={index} className={letter[cell]} />
      ))}
    </div>
  );
}

interface PlaceProps {
  readonly to: Route;
  readonly icon: string;
  readonly text: string;
  readonly route: Route;
  readonly count?: number;
  readonly countWords?: string;
  /** Of a count that needs a person. */
  readonly countGlyph?: string;
}

function Place(props: PlaceProps): JSX.Element {
  const { to, icon, text, route, count = 0, countWords, countGlyph } = props;
  const here = route.name === to.name || (to.name === 'jobs' && route.name === 'job');
  return (
    <a href={formatRoute(to)} aria-current={here ? 'page' : undefined} title={text}>
      <Icon name={icon} />
      <span className="grow">{text}</span>
      {count === 0 ? null : (
        <>
          <span
            className={countGlyph === undefined ? 'n' : `n st st-${countGlyph}`}
            aria-hidden="true"
          >
            {countGlyph === undefined ? null : <Glyph name={countGlyph} size={12} />}
            {formatBadge(count)}
          </span>
          <span className="vh">{countWords}</span>
        </>
      )}
    </a>
  );
}

const THEMES: readonly { readonly theme: Theme; readonly icon: string }[] = [
  { theme: 'system', icon: 'laptop' },
  { theme: 'light', icon: 'sun' },
  { theme: 'dark', icon: 'moon' },
];

function ThemeSwitch(): JSX.Element {
  const chosen = usePreferencesStore((preferences) => preferences.theme);
  return (
    <div className="seg" role="group" aria-label={words.theme.label}>
      {THEMES.map(({ theme, icon }) => (
        <button
          key={theme}
          type="button"
          aria-pressed={theme === chosen}
          aria-label={words.theme[theme]}
          title={`${words.theme.label}: ${words.theme[theme]}`}
          onClick={() => setPreferences({ theme })}
        >
          <Icon name={icon} size={14} />
        </button>
      ))}
    </div>
  );
}
