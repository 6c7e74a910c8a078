/** Whether local commands could run: the profile file, each executable that is on, and Cursor's login. */
import type { HostProfiles, ListedProfile } from '../host-profiles.ts';
import { problemView, type CursorProbe } from '../profiles/cursor-probe.ts';
import { counted } from '../views/plain-text.ts';
import { failed, fine, notApplicable, warning, type Finding, type Look } from './check.ts';

export interface CursorSources {
  readonly profiles: Pick<HostProfiles, 'list'>;
  readonly probe: Pick<CursorProbe, 'found' | 'look' | 'resolve'>;
}

/** Cursor itself is started only where a person asked: the rest is a look at files. */
export function cursorCheck({ profiles, probe }: CursorSources): Look {
  return async ({ isAsked }): Promise<Finding> => {
    const list = profiles.list();
    const on = list.profiles.filter(({ isOn }) => isOn);
    const changed = list.profiles.find(({ state }) => state === 'changed');
    if (on.length === 0 && changed === undefined)
      return notApplicable('No profile is on, so no flow can start a local command.');
    if (!list.isAllowed)
      return notApplicable('Local commands are off on this machine, so no flow can start one.');
    const broken = on.find(({ profile }) => profile === null);
    const problem =
      broken?.problems.find(({ severity }) => severity === 'error') ??
      list.problems.find(({ severity }) => severity === 'error');
    if (problem !== undefined) {
      const name = broken === undefined ? '' : `${broken.name} is left out: `;
      return failed(`${name}${problem.reason}`, problem.remedy);
    }
    for (const executable of new Set(on.flatMap(({ profile }) => profile?.executable ?? []))) {
      const command = await probe.resolve(executable);
      if (!('step' in command)) continue;
      const { reason, remedy } = problemView(command);
      return failed(reason, remedy);
    }
    if (changed !== undefined)
      return warning(
        `${changed.name} changed since it was turned on, so it is off.`,
        'Look at what it would run under Host profiles, and turn it on again.',
      );
    if (isAsked) await probe.look();
    return loginFinding(probe.found, counted(on.length, 'profile'));
  };
}

/** What the check goes by, as text: where it is the same, so is what was found. Starts nothing. */
export function cursorInputs({ profiles, probe }: CursorSources): string {
  return JSON.stringify([profiles.list(), probe.found.executables]);
}

/** Profiles that the service is told of. */
export function offeredProfiles({ profiles }: CursorSources): readonly ListedProfile[] {
  return profiles.list().profiles.filter(({ state }) => state === 'advertised');
}

function loginFinding({ executables }: CursorProbe['found'], profiles: string): Finding {
  const cursor = executables.find(({ path }) => path !== null);
  if (cursor === undefined) return fine(`${profiles} on; the login was not looked at yet.`);
  const version = cursor.version === null ? cursor.name : `${cursor.name} ${cursor.version}`;
  switch (cursor.login) {
    case 'signed_in':
      return fine(`${profiles} on; ${version}, signed in.`);
    case 'signed_out':
      return failed(`${version} is not signed in.`, `Run: ${cursor.name} login`);
    case 'not_checked':
      return fine(`${profiles} on; the login was not looked at yet.`);
    case 'unknown':
      return warning(
        `${version} did not say whether somebody is signed in.`,
        `Run: ${cursor.name} status`,
      );
  }
}
