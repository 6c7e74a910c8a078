/** What a person can do with profiles of local commands: asks the host, and says how that went. Owns no state. */
import type { ProfilesView, ProfileView } from '../main/contract/profile-views.ts';
import { copyText, showProblem } from './actions.ts';
import { pageClient } from './host-client/page-client.ts';
import { toProblem } from './host-client/problem.ts';
import { goTo } from './router.ts';
import { openDialog } from './stores/dialog-store.ts';
import { say } from './stores/notice-store.ts';
import { words } from './words.ts';

export const PROFILES = { name: 'profiles', parameters: '' } as const;

function attempt(act: () => Promise<void>): void {
  void act().catch((error: unknown) => showProblem(toProblem(error)));
}

/** @param waits local commands are off on this machine, and stay off */
export function turnProfile(name: string, isOn: boolean, waits = false): void {
  const { turnedOn, turnedOff, turnedOnWaiting } = words.profiles;
  attempt(async () => {
    await pageClient.request('profiles.turn', { name, on: isOn });
    say(!isOn ? turnedOff(name) : waits ? turnedOnWaiting(name) : turnedOn(name));
  });
}

type Switches = Pick<ProfilesView, 'isAllowed'> & {
  readonly profiles: readonly Pick<ProfileView, 'isOn' | 'state'>[];
};

/** One click; but before the first one of all is on, it is said what that means. */
export function wishToTurn(name: string, isOn: boolean, { isAllowed, profiles }: Switches): void {
  const isFirst = profiles.every((profile) => !profile.isOn);
  if (isOn && isFirst) openDialog({ kind: 'turn_on_profile', profile: name });
  else turnProfile(name, isOn, !isAllowed);
}

export function allowCommands(isOn: boolean): void {
  attempt(async () => {
    await pageClient.request('profiles.allow', { on: isOn });
    say(isOn ? words.profiles.allowed : words.profiles.allOff);
  });
}

/** Turning them on offers what is on to Preloop, so that is asked; where nothing is on, it offers nothing. */
export function wishToAllow(isOn: boolean, profiles: Switches['profiles']): void {
  const on = profiles.filter(({ state }) => state === 'all_off').length;
  if (isOn && on > 0) openDialog({ kind: 'allow_commands', on });
  else allowCommands(isOn);
}

export function askToRemoveProfile(name: string): void {
  openDialog({ kind: 'remove_profile', profile: name });
}

export function removeProfile(name: string): void {
  attempt(async () => {
    await pageClient.request('profiles.remove', { name });
    say(words.dialogs.profile.remove.done(name));
    goTo(PROFILES);
  });
}

export function duplicateProfile(name: string): void {
  attempt(async () => {
    const made = await pageClient.request('profiles.duplicate', { name });
    say(words.profiles.duplicated(made.name));
    goTo({ name: 'profiles', parameters: new URLSearchParams({ edit: made.name }).toString() });
  });
}

export function copyProfile(name: string): void {
  attempt(async () => {
    const { text } = await pageClient.request('profiles.export', { names: [name] });
    copyText(text, words.profiles.jsonCopied);
  });
}

/** Null: all own ones. */
export function downloadProfiles(name: string | null): void {
  attempt(async () => {
    const names = name === null ? null : [name];
    const { text } = await pageClient.request('profiles.export', { names });
    const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = words.profiles.fileName(name);
    link.click();
    URL.revokeObjectURL(url);
  });
}

/** Reads the file and looks for Cursor anew. What was found comes with the watch. */
export function recheckProfiles(): void {
  attempt(async () => {
    await pageClient.request('profiles.recheck', {});
  });
}

export function stopTry(id: string): void {
  attempt(async () => {
    await pageClient.request('profiles.try_stop', { id });
  });
}
