/** What there is to go to or to do now. Actions that cannot be done are not listed. */
import type { OverviewView } from '../../../main/contract/views.ts';
import {
  askToStop,
  checkEngine,
  copyText,
  goOnline,
  pause,
  resume,
  runChecks,
  runTestJob,
  takeBack,
} from '../../actions.ts';
import { shortId } from '../../format.ts';
import { ALL_JOBS, goTo } from '../../router.ts';
import { STATE_GLYPHS } from '../../components/status.tsx';
import { openDialog } from '../../stores/dialog-store.ts';
import { setPreferences } from '../../stores/preferences-store.ts';
import { words } from '../../words.ts';
import { pauseOrResume } from '../../host-state.ts';
import type { PaletteItem } from './palette-items.ts';
import { PAUSES } from './pauses.ts';

const { palette, host } = words;

export function collectItems(
  overview: OverviewView | null,
  connected: boolean,
  query: string,
): readonly PaletteItem[] {
  const doable = overview !== null && connected ? actionItems(overview) : [];
  return [
    ...placeItems(),
    ...doable,
    ...(overview === null ? [] : jobItems(overview, connected)),
    ...themeItems(),
    ...(query.trim() === '' ? [] : [filterItem(query.trim())]),
  ];
}

function placeItems(): readonly PaletteItem[] {
  const place = (id: string, icon: string, text: string, note: string, act: () => void) => ({
    id,
    group: palette.places,
    icon,
    text,
    note,
    act,
  });
  return [
    place('overview', 'overview', words.nav.overview, 'G O', () => goTo({ name: 'overview' })),
    place('jobs', 'jobs', words.nav.jobs, 'G J', () => goTo(ALL_JOBS)),
    place('permissions', 'shield', words.nav.permissions, 'G P', () =>
      goTo({ name: 'permissions' }),
    ),
    place('profiles', 'profiles', words.nav.profiles, 'G C', () =>
      goTo({ name: 'profiles', parameters: '' }),
    ),
    place('health', 'health', words.nav.health, 'G E', () => goTo({ name: 'health' })),
    place('shortcuts', 'keyboard', words.shortcuts.title, '?', () =>
      openDialog({ kind: 'shortcuts' }),
    ),
  ];
}

function actionItems(overview: OverviewView): readonly PaletteItem[] {
  const item = (icon: string, text: string, act: () => void): PaletteItem => ({
    id: text,
    group: palette.actions,
    icon,
    text,
    act,
  });
  const { intake, engine, runnerId, held } = overview;
  const items: PaletteItem[] = [];
  const can = pauseOrResume(overview);
  if (can === 'resume') items.push(item('play', host.resume, resume));
  if (can === 'pause') {
    items.push(item('pause', host.pause, () => pause()));
    for (const { name, wish } of PAUSES)
      if (name !== 'now')
        items.push(
          item('pause', `${host.pause}: ${words.pause.kinds[name]}`, () => pause(wish(Date.now()))),
        );
    items.push(
      item('pause', `${host.pause}: ${words.pause.withNote}`, () => openDialog({ kind: 'pause' })),
    );
  }
  items.push(item('refresh', palette.runChecks, () => runChecks(null)));
  if (overview.session.refusal === 'replaced') items.push(item('back', host.takeBack, takeBack));
  items.push(item('power', host.quit, () => openDialog({ kind: 'quit' })));
  if (intake === 'offline') items.push(item('power', host.goOnline, goOnline));
  else items.push(item('power', host.goOffline, () => openDialog({ kind: 'go_offline' })));
  if (overview.testJob !== null) items.push(item('test', words.overview.runTest, runTestJob));
  if (engine.kind !== 'ready') items.push(item('refresh', words.overview.checkAgain, checkEngine));
  if (runnerId !== null)
    items.push(item('copy', host.copyId, () => copyText(runnerId, host.copied)));
  for (const job of held)
    if (job.state !== 'stopping')
      items.push({
        ...item('stop', palette.stop(job.title), () => askToStop(job)),
        id: `stop ${job.jobId}`,
        note: shortId(job.jobId),
      });
  return items;
}

function jobItems(overview: OverviewView, connected: boolean): readonly PaletteItem[] {
  const jobs = connected ? [...overview.held, ...overview.lastJobs] : [];
  return jobs.map((job) => ({
    id: `job ${job.jobId}`,
    group: palette.jobs,
    icon: 'container',
    glyph: STATE_GLYPHS[job.state],
    text: job.title,
    note: `${words.state(job.state)} · ${shortId(job.jobId)}`,
    act: () => goTo({ name: 'job', jobId: job.jobId, parameters: '' }),
  }));
}

function themeItems(): readonly PaletteItem[] {
  return (['system', 'light', 'dark'] as const).map((theme) => ({
    id: `theme ${theme}`,
    group: palette.settings,
    icon: 'sun',
    text: palette.theme(words.theme[theme]),
    act: () => setPreferences({ theme }),
  }));
}

/** Whatever was typed can be looked for among all jobs, also those the palette does not know. */
function filterItem(query: string): PaletteItem {
  return {
    id: 'filter',
    group: palette.jobs,
    icon: 'filter',
    text: palette.filterJobs(query),
    act: () => goTo({ name: 'jobs', states: [], text: query }),
  };
}
