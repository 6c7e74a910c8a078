/** Shortcuts that hold everywhere. Lists and the log have their own. Single letters never act in a field. */
import { useEffect } from 'react';
import { pause, resume } from '../../actions.ts';
import { ALL_JOBS, goTo } from '../../router.ts';
import { openDialog, useDialogStore } from '../../stores/dialog-store.ts';
import { useConnectionStore } from '../../stores/connection-store.ts';
import { useOverviewStore } from '../../stores/overview-store.ts';
import { usePreferencesStore } from '../../stores/preferences-store.ts';
import { pauseOrResume } from '../../host-state.ts';

const onMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);
export const modKey = onMac ? '⌘' : 'Ctrl ';
/** After G, the letter of a place has to come within this time. */
const PREFIX_MS = 1_200;

export function useKeys(): void {
  useEffect(() => {
    let prefixAtMs = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || useDialogStore.getState().dialog !== null) return;
      if (event.key === 'F6') {
        event.preventDefault();
        focusNextRegion(event.shiftKey ? -1 : 1);
        return;
      }
      if ((onMac ? event.metaKey : event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openDialog({ kind: 'palette' });
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
      if (!usePreferencesStore.getState().letterKeys) return;
      const prefixed = event.timeStamp - prefixAtMs < PREFIX_MS && prefixAtMs > 0;
      prefixAtMs = 0;
      if (prefixed && goToLetter(event.key.toLowerCase())) event.preventDefault();
      else if (event.key === 'g') prefixAtMs = event.timeStamp;
      else if (act(event.key)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

function goToLetter(letter: string): boolean {
  if (letter === 'o') goTo({ name: 'overview' });
  else if (letter === 'j') goTo(ALL_JOBS);
  else if (letter === 'p') goTo({ name: 'permissions' });
  else if (letter === 'e') goTo({ name: 'health' });
  else if (letter === 'c') goTo({ name: 'profiles', parameters: '' });
  else return false;
  return true;
}

function act(key: string): boolean {
  if (key === '?') openDialog({ kind: 'shortcuts' });
  else if (key === 'p') steer();
  else if (key === '/') {
    const filter = document.querySelector<HTMLElement>('[data-filter]');
    if (filter === null) return false;
    filter.focus();
  } else return false;
  return true;
}

function steer(): void {
  const { overview } = useOverviewStore.getState();
  if (overview === null || useConnectionStore.getState().connection.kind !== 'connected') return;
  const can = pauseOrResume(overview);
  if (can === 'pause') pause();
  else if (can === 'resume') resume();
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function focusNextRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')];
  const here = regions.findIndex((region) => region.contains(document.activeElement));
  const next = regions[(here + step + regions.length) % regions.length];
  next?.focus();
}
