/**
 * The Profiles screen's host side: what is shown of every profile, and what its owner does with them. What has to be
 * looked at on the disk is looked at in the background, so that a view is made of what is known; a view starts Cursor
 * only where a profile is offered already.
 */
import { posix, win32 } from 'node:path';
import { advertise } from '../../../runner-core/host-exec/advertise.ts';
import { executableFiles } from '../../../runner-core/host-exec/executable-files.ts';
import { workspaceProblems } from '../../../runner-core/host-exec/file-trust.ts';
import { wouldRun } from '../../../runner-core/host-exec/would-run.ts';
import {
  DEFAULT_TIMEOUT_SECONDS,
  type HostProfile,
  type ProfileProblem,
} from '../../../runner-core/model/host-profile.ts';
import { HOST_PARENT } from '../../../runner-core/worker/host-directory.ts';
import type { ProfileView, WouldRunView } from '../../contract/profile-views.ts';
import type { RequestInput, RequestResult } from '../../contract/requests.ts';
import type { TopicView } from '../../contract/topics.ts';
import { ProblemError } from '../../problem.ts';
import type { SqliteJobStore } from '../../store/sqlite-job-store.ts';
import type { HostProfiles, ListedProfile } from '../host-profiles.ts';
import { jobRow } from '../views/job-row.ts';
import { problemView, type CursorProbe, type FoundCommand } from './cursor-probe.ts';
import type { ExecutableWatch } from './executable-watch.ts';
import { nameKey } from './draft.ts';
import { ProfileEdits } from './profile-edits.ts';
import type { ProfileTry } from './profile-try.ts';

const LAST_RUNS = 5;

export interface ProfileDeskDeps {
  readonly profiles: HostProfiles;
  readonly probe: CursorProbe;
  readonly executables: Pick<ExecutableWatch, 'found' | 'look'>;
  readonly tries: ProfileTry;
  readonly store: Pick<SqliteJobStore, 'listing'>;
  readonly changed: () => void;
}

export class ProfileDesk {
  readonly #deps: ProfileDeskDeps;
  readonly #edits: ProfileEdits;
  /** What is wrong with folders, by executable and folder as they are written. */
  #seen: ReadonlyMap<string, readonly ProfileProblem[]> = new Map();
  #isLooking = false;

  constructor(deps: ProfileDeskDeps) {
    this.#deps = deps;
    this.#edits = new ProfileEdits(deps.profiles);
  }

  view(): TopicView<'profiles'> {
    const { profiles, probe, tries } = this.#deps;
    const list = profiles.list();
    if (probe.found.state === 'not_yet') {
      const mayStart = list.profiles.some(({ state }) => state === 'advertised');
      void (mayStart ? probe.look() : probe.find());
    }
    this.#lookForNew(list.profiles);
    return {
      isAllowed: list.isAllowed,
      file: profiles.clientFile(),
      problems: [...list.problems],
      profiles: list.profiles.map((listed) => this.#profile(listed)),
      found: probe.found,
      sent: JSON.stringify({ host_exec_profiles: advertise(profiles.offers().profiles) }, null, 2),
      trying: tries.current,
    };
  }

  async check({
    draft,
    editing,
  }: RequestInput<'profiles.check'>): Promise<RequestResult<'profiles.check'>> {
    const { profile, problems } = this.#edits.check(draft, editing);
    if (profile === null) return { isUsable: false, problems: [...problems], wouldRun: null };
    const workspace = await this.#look(profile);
    return {
      isUsable: true,
      problems: [...problems, ...workspace],
      wouldRun: this.#wouldRun(profile),
    };
  }

  save({ draft, editing }: RequestInput<'profiles.save'>): RequestResult<'profiles.save'> {
    return this.#changing(() => this.#edits.save(draft, editing));
  }

  remove(name: string): void {
    this.#changing(() => this.#edits.remove(name));
  }

  duplicate(name: string): RequestResult<'profiles.duplicate'> {
    return this.#changing(() => ({ name: this.#edits.duplicate(name) }));
  }

  import({ text, replace }: RequestInput<'profiles.import'>): RequestResult<'profiles.import'> {
    return this.#changing(() => this.#edits.import(text, replace));
  }

  export({ names }: RequestInput<'profiles.export'>): RequestResult<'profiles.export'> {
    return { text: this.#edits.export(names) };
  }

  /** Its executable is looked at first, so that none is offered for a moment that cannot be started. */
  async turn(name: string, isOn: boolean): Promise<void> {
    const { profiles, executables } = this.#deps;
    const key = nameKey(name);
    const found = profiles.list().profiles.find((each) => nameKey(each.name) === key)?.profile;
    if (isOn && found != null) await executables.look(found.executable);
    this.#changing(() => profiles.turn(name, isOn));
  }

  /** Off: nothing waits, since nothing is to be started from now on. */
  async allow(isAllowed: boolean): Promise<void> {
    const { profiles, executables } = this.#deps;
    const on = profiles.list().profiles.filter(({ isOn }) => isOn);
    if (isAllowed)
      await Promise.all(usable(on).map(({ executable }) => executables.look(executable)));
    this.#changing(() => profiles.allow(isAllowed));
  }

  async recheck(): Promise<void> {
    const { profiles, probe, changed } = this.#deps;
    profiles.readAnew();
    this.#seen = new Map();
    await Promise.all([probe.look(), this.#lookAt(usable(profiles.list().profiles))]);
    changed();
  }

  try(input: RequestInput<'profiles.try'>): RequestResult<'profiles.try'> {
    return { id: this.#deps.tries.start(input) };
  }

  tryStop(id: string): void {
    this.#deps.tries.stop(id);
  }

  tryView(id: string): TopicView<'profile_try'> {
    return this.#deps.tries.view(id);
  }

  #changing<T>(act: () => T): T {
    const result = act();
    this.#deps.changed();
    return result;
  }

  #profile(listed: ListedProfile): ProfileView {
    const { profile, name, source, isOn, state } = listed;
    const workspace = profile === null ? [] : (this.#seen.get(seenKey(profile)) ?? []);
    const { jobs, total } = this.#deps.store.listing.runsOf(name, LAST_RUNS);
    const draft = this.#edits.draftOf(listed);
    const problems = [...listed.problems, ...workspace];
    return {
      name,
      source,
      isOn,
      state,
      problems: problems.toSorted(
        (one, other) => Number(one.severity !== 'error') - Number(other.severity !== 'error'),
      ),
      executable: profile?.executable ?? draft?.executable ?? '',
      draft,
      wouldRun: profile === null ? null : this.#wouldRun(profile),
      models: Object.keys(profile?.modelMap ?? {}).toSorted(),
      timeoutSeconds: (profile?.timeoutSeconds ?? 0) || DEFAULT_TIMEOUT_SECONDS,
      lastRuns: jobs.map(jobRow).map(({ jobId, state, acceptedAtMs, endedAtMs }) => ({
        jobId,
        state,
        acceptedAtMs,
        endedAtMs,
      })),
      runs: total,
    };
  }

  #wouldRun(profile: HostProfile): WouldRunView {
    const { platform, workspacesDir } = this.#deps.profiles;
    const path = platform === 'win32' ? win32 : posix;
    const root = profile.workspaceRoot ?? workspacesDir;
    const command: FoundCommand | undefined = this.#deps.executables.found(profile.executable);
    const found = command === undefined || 'step' in command ? null : command;
    const parent = `${path.join(root, HOST_PARENT)}${path.sep}`;
    const parts = wouldRun({ profile, found, parent, platform });
    return {
      parts: [...parts],
      line: parts.map(({ text }) => text).join(' '),
      resolved: found?.path ?? null,
      problem: command !== undefined && 'step' in command ? problemView(command) : null,
    };
  }

  /** What a profile names that was not looked at yet is looked at, once, and shown with the next value. */
  #lookForNew(listed: readonly ListedProfile[]): void {
    const fresh = usable(listed).filter((profile) => !this.#seen.has(seenKey(profile)));
    if (fresh.length === 0 || this.#isLooking) return;
    this.#isLooking = true;
    void this.#lookAt(fresh).then(() => {
      this.#isLooking = false;
      this.#deps.changed();
    });
  }

  async #lookAt(profiles: readonly HostProfile[]): Promise<void> {
    const seen = await Promise.all(
      profiles.map(async (profile) => [seenKey(profile), await this.#look(profile)] as const),
    );
    this.#seen = new Map([...this.#seen, ...seen]);
  }

  /** What is wrong with its folder; where its executable leads is known then, too. */
  async #look(profile: HostProfile): Promise<readonly ProfileProblem[]> {
    const { executables, profiles } = this.#deps;
    const { name, executable, workspaceRoot } = profile;
    await executables.look(executable);
    if (workspaceRoot === null) return [];
    const owner = { uid: process.getuid?.() ?? -1, platform: profiles.platform };
    const found = workspaceProblems(await executableFiles.stat(workspaceRoot), owner);
    // The folder may come later: the profile is used as it is, and its jobs say what is wrong.
    return found.map((problem) => ({
      ...problem,
      severity: 'warning' as const,
      index: null,
      profile: name,
    }));
  }
}

/** The profile of a name, on or off. Throws ProblemError. */
export function profileToTry(profiles: Pick<HostProfiles, 'list'>, name: string): HostProfile {
  const wanted = name.trim().toLowerCase();
  const found = profiles.list().profiles.find((each) => each.name.toLowerCase() === wanted);
  if (found?.profile != null) return found.profile;
  const problem = found?.problems.find(({ severity }) => severity === 'error');
  if (problem !== undefined)
    throw new ProblemError('profile_unusable', problem.reason, problem.remedy);
  throw new ProblemError(
    'unknown_profile',
    `There is no profile ${name}.`,
    'Look at the list of profiles.',
  );
}

function usable(listed: readonly ListedProfile[]): readonly HostProfile[] {
  return listed.flatMap(({ profile }) => (profile === null ? [] : [profile]));
}

function seenKey({ executable, workspaceRoot }: HostProfile): string {
  return JSON.stringify([executable, workspaceRoot]);
}
