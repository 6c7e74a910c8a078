/** Whether local commands could run: the profile file, each executable that is on, and Cursor's login. */
import type { HostProfiles } from '../host-profiles.ts';
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
    if (on.length === 0)
      return notApplicable('No profile is on, so no flow can start a local command.');
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
    if (isAsked) await probe.look();
    return loginFinding(probe.found, counted(on.length, 'profile'));
  };
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
    case 'unknown':
      return warning(
        `${version} did not say whether somebody is signed in.`,
        `Run: ${cursor.name} status`,
      );
  }
}
