/**
 * The profiles of local commands on this machine: those of the client's own file, and those the owner keeps here. Each
 * is off until the owner turns it on, and only what is on, unchanged since and startable is ever told to the service.
 */
import { readProfiles, type ProfileReading } from '../../runner-core/host-exec/read-profiles.ts';
import {
  profileNamed,
  type HostPlatform,
  type ProfileProblem,
} from '../../runner-core/model/host-profile.ts';
import type { HostCommands, Log } from '../../runner-core/ports.ts';
import { NO_HOST_OFFERS, type HostOffers } from '../../runner-core/wire/host-lease.ts';
import { ProblemError } from '../problem.ts';
import type { SettingsStore } from '../store/settings-store.ts';
import { ClientSource, isWhole } from './profiles/client-source.ts';
import { entriesOf, fileText, nameKey } from './profiles/draft.ts';
import type { ExecutableRefusal, ExecutableWatch } from './profiles/executable-watch.ts';
import { firstError, toldProblem } from './profiles/told-problem.ts';
import { TurnedOn, type ProfileSource, type SourcedProfile } from './profiles/turned-on.ts';

export type { ProfileSource } from './profiles/turned-on.ts';

const OWN_SETTING = 'host_profiles';
const NONE_KEPT = '{"profiles":[]}';

/**
 * `advertised`: the service is told of it. `off`: fine, and off. `changed`: it was on, and went off since it would run
 * something else now. `left_out`: it cannot be used, whether it is on or not, or it is on and its executable cannot be
 * started. `all_off`: on, while local commands are off on this machine.
 */
export type ProfileState = 'advertised' | 'off' | 'changed' | 'left_out' | 'all_off';

export interface ListedProfile extends SourcedProfile {
  /** Its own switch. */
  readonly isOn: boolean;
  readonly state: ProfileState;
  /** Where it is left out, an error among them says why. */
  readonly problems: readonly ProfileProblem[];
}

export interface ProfileList {
  /** Whether local commands may run on this machine at all. */
  readonly isAllowed: boolean;
  readonly profiles: readonly ListedProfile[];
  /** Of a source as a whole, and of entries without a readable name. */
  readonly problems: readonly (ProfileProblem & { readonly source: ProfileSource })[];
  /** Where the client's file is looked for. */
  readonly file: string;
}

export interface HostProfilesDeps {
  readonly log: Log;
  readonly facts: Pick<SettingsStore, 'get' | 'set'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly osName: NodeJS.Platform;
  readonly workspacesDir: string;
  readonly executables: Pick<ExecutableWatch, 'refusal' | 'refresh' | 'look'>;
  /** What is offered to the service changed. */
  readonly changed: () => void;
}

export class HostProfiles implements HostCommands {
  readonly platform: HostPlatform;
  readonly workspacesDir: string;
  readonly #deps: HostProfilesDeps;
  readonly #client: ClientSource;
  readonly #turned: TurnedOn;
  #kept: string | null = null;
  #ownText: string | null = null;
  /** Of the client's file, as the last list had it. */
  #seen: ProfileReading | null = null;
  #isTelling = false;
  #own: ProfileReading = { profiles: [], problems: [] };

  constructor(deps: HostProfilesDeps) {
    this.#deps = deps;
    this.workspacesDir = deps.workspacesDir;
    const { osName, facts, log } = deps;
    this.platform = osName === 'win32' || osName === 'darwin' ? osName : 'linux';
    this.#client = new ClientSource({ ...deps, platform: this.platform });
    this.#turned = new TurnedOn(facts, log);
  }

  environment(): Readonly<Record<string, string | undefined>> {
    return this.#deps.environment;
  }

  offers(): HostOffers {
    const { isAllowed, profiles } = this.list();
    if (!isAllowed) return NO_HOST_OFFERS;
    const on = profiles.filter(({ isOn }) => isOn);
    this.#deps.executables.refresh(executablesOf(on));
    return {
      profiles: on.flatMap(({ state, profile }) =>
        state === 'advertised' && profile !== null ? [profile] : [],
      ),
      leftOut: profiles.flatMap((listed) => {
        const why = this.#whyNot(listed);
        return why === null ? [] : [{ name: listed.name, why }];
      }),
    };
  }

  list(): ProfileList {
    const own = this.#listed(this.#readOwn(), 'own');
    const taken = new Set(own.map(({ name }) => nameKey(name)));
    const reading = this.#client.read();
    if (this.#seen !== null && reading !== this.#seen) this.#tellSoon();
    this.#seen = reading;
    const all = this.#listed(reading, 'client');
    const client = all.filter(({ name }) => !taken.has(nameKey(name)));
    const hidden = all.filter(({ name }) => taken.has(nameKey(name)));
    const nameless = (reading: ProfileReading, source: ProfileSource): ProfileList['problems'] =>
      reading.problems
        .filter(({ profile }) => profile === null)
        .map((problem) => ({ ...problem, source }));
    return {
      isAllowed: this.#turned.isAllowed,
      profiles: [...own, ...client],
      problems: [
        ...nameless(this.#own, 'own'),
        ...nameless(this.#client.read(), 'client'),
        ...hidden.map(({ name }) => shadowed(name)),
      ],
      file: this.#client.path ?? '',
    };
  }

  /** The entries of a source as they were written, good and bad. */
  entries(source: ProfileSource): readonly unknown[] {
    return entriesOf(source === 'own' ? this.kept() : this.#client.text);
  }

  /** The client's file: where it is looked for, and whether it is there. */
  clientFile(): ClientSource['place'] {
    return this.#client.place;
  }

  /** The file is read again at the next look, changed or not. */
  readAnew(): void {
    this.#client.readAnew();
  }

  /** Looks where the executables of all that is on lead, before the service is first told of any. */
  async look(): Promise<void> {
    const { isAllowed, profiles } = this.list();
    const on = isAllowed ? profiles.filter(({ isOn }) => isOn) : [];
    await Promise.all(
      [...executablesOf(on)].map((executable) => this.#deps.executables.look(executable)),
    );
  }

  /** Local commands on this machine, all of them. Each profile keeps its own switch. */
  allow(isAllowed: boolean): void {
    this.#turned.allow(isAllowed);
    this.#deps.log.info('local commands turned', { isAllowed });
    this.#deps.changed();
  }

  /**
   * The first profile that is turned on turns local commands on as well; where others are on already and wait, they
   * stay as they are. Throws ProblemError for a name that is not there, or cannot be used.
   */
  turn(name: string, isOn: boolean): void {
    const { profiles, isAllowed } = this.list();
    const found = profiles.find((one) => nameKey(one.name) === nameKey(name));
    if (found === undefined && isOn)
      throw new ProblemError(
        'unknown_profile',
        `There is no profile ${name}.`,
        'Look at the list of profiles.',
      );
    if (found?.profile === null && isOn)
      throw new ProblemError('profile_unusable', whyOf(found.problems), found.problems[0]?.remedy);
    if (found === undefined) this.#turned.forget(name);
    else this.#turned.turn(found, isOn);
    const isFirst = !profiles.some((one) => one.isOn);
    if (isOn && !isAllowed && isFirst) this.#turned.allow(true);
    const { log, changed } = this.#deps;
    log.info('profile turned', { profile: found?.name ?? name, isOn });
    changed();
  }

  /**
   * Replaces the profiles kept here. Those that read badly are kept and left out.
   *
   * @param moved a name to another, which is on as that one was, whatever its owner made of it; null: whatever gets the
   *   name later begins off
   */
  keep(entries: readonly unknown[], moved: ReadonlyMap<string, string | null> = new Map()): void {
    const before = this.#readOwn().profiles;
    const isOn = (name: string): boolean => {
      const profile = profileNamed(before, name);
      return profile !== undefined && this.#turned.of({ source: 'own', name, profile }) === 'on';
    };
    const stays = [...moved].flatMap(([from, to]) => (to !== null && isOn(from) ? [to] : []));
    const text = fileText(entries);
    this.#deps.facts.set(OWN_SETTING, text);
    this.#kept = text;
    for (const [from, to] of moved)
      if (to === null || nameKey(to) !== nameKey(from)) this.#turned.forget(from);
    for (const name of stays) {
      const profile = profileNamed(this.#readOwn().profiles, name);
      if (profile !== undefined) this.#turned.turn({ source: 'own', name, profile }, true);
    }
    this.#deps.changed();
  }

  /** The profiles kept here, as text of a profile file. */
  kept(): string {
    this.#kept ??= this.#deps.facts.get(OWN_SETTING) ?? NONE_KEPT;
    return this.#kept;
  }

  #readOwn(): ProfileReading {
    const text = this.kept();
    if (text !== this.#ownText) {
      this.#ownText = text;
      this.#own = readProfiles(text, this.platform);
    }
    return this.#own;
  }

  #listed(reading: ProfileReading, source: ProfileSource): readonly ListedProfile[] {
    const { profiles, problems } = reading;
    const broken = new Set(problems.flatMap(({ profile }) => (profile === null ? [] : [profile])));
    for (const { name } of profiles) broken.delete(name);
    const sourced: readonly SourcedProfile[] = [
      ...profiles.map((profile) => ({ source, name: profile.name, profile })),
      ...[...broken].map((name) => ({ source, name, profile: null })),
    ];
    if (isWhole(reading) && this.#turned.compare(source, sourced)) this.#tellSoon();
    return sourced.map((each) =>
      this.#shown(
        each,
        problems.filter(({ profile }) => profile === each.name),
      ),
    );
  }

  /** What the others hear of it comes after this look, which they may have asked for. */
  #tellSoon(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      this.#deps.changed();
    });
  }

  #shown(sourced: SourcedProfile, problems: readonly ProfileProblem[]): ListedProfile {
    const turned = this.#turned.of(sourced);
    const shown = { ...sourced, isOn: turned === 'on', problems };
    if (sourced.profile === null) return { ...shown, state: 'left_out' };
    if (turned !== 'on') return { ...shown, state: turned };
    if (!this.#turned.isAllowed) return { ...shown, state: 'all_off' };
    const refusal = this.#deps.executables.refusal(sourced.profile.executable);
    if (refusal === null) return { ...shown, state: 'advertised' };
    return {
      ...shown,
      state: 'left_out',
      problems: [...problems, notStartable(sourced.name, refusal)],
    };
  }

  /** For the flow that names it: nothing that its owner wrote. Null where nothing is to be said. */
  #whyNot({ state, isOn, profile, problems }: ListedProfile): string | null {
    if (state === 'changed') return 'It changed since it was turned on.';
    if (state !== 'left_out' || !isOn) return null;
    if (profile === null) return toldProblem(problems);
    return this.#deps.executables.refusal(profile.executable)?.told ?? toldProblem(problems);
  }
}

function executablesOf(listed: readonly ListedProfile[]): ReadonlySet<string> {
  return new Set(listed.flatMap(({ profile }) => profile?.executable ?? []));
}

function notStartable(name: string, { reason, remedy }: ExecutableRefusal): ProfileProblem {
  return {
    code: 'executable_unstartable',
    severity: 'error',
    index: null,
    profile: name,
    field: 'executable',
    reason,
    remedy,
  };
}

function shadowed(name: string): ProfileList['problems'][number] {
  return {
    code: 'name_taken',
    severity: 'warning',
    index: null,
    profile: name,
    field: 'name',
    reason: `${name} is in the client's file and was also made here; the one made here counts.`,
    remedy: 'Give the one made here another name.',
    source: 'client',
  };
}

function whyOf(problems: readonly ProfileProblem[]): string {
  return firstError(problems)?.reason ?? 'It cannot be read.';
}
