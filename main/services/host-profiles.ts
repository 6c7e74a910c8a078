/**
 * The profiles of local commands on this machine: those of the client's own file, and those the owner keeps here. Each
 * is off until the owner turns it on, and only what is on is ever told to the service.
 */
import { readFileSync, statSync } from 'node:fs';
import * as z from 'zod';
import {
  clientProfileFile,
  PROFILE_FILE_VARIABLE,
} from '../../runner-core/host-exec/client-file.ts';
import { writableByOthers } from '../../runner-core/host-exec/file-trust.ts';
import { readProfiles, type ProfileReading } from '../../runner-core/host-exec/read-profiles.ts';
import type {
  HostPlatform,
  HostProfile,
  ProfileProblem,
} from '../../runner-core/model/host-profile.ts';
import type { HostCommands, Log } from '../../runner-core/ports.ts';
import type { HostOffers } from '../../runner-core/wire/host-lease.ts';
import { ProblemError } from '../problem.ts';
import type { SettingsStore } from '../store/settings-store.ts';
import { entriesOf, fileText, nameKey } from './profiles/draft.ts';

const MAX_BYTES = 1_048_576;
const OWN_SETTING = 'host_profiles';
const ON_SETTING = 'host_profiles_on';
const onSchema = z.array(z.string());
const NO_PROFILES: ProfileReading = { profiles: [], problems: [] };

export type ProfileSource = 'client' | 'own';

export interface ListedProfile {
  readonly name: string;
  readonly source: ProfileSource;
  readonly isOn: boolean;
  /** Null: it cannot be used, and `problems` say why. */
  readonly profile: HostProfile | null;
  readonly problems: readonly ProfileProblem[];
}

export interface ProfileList {
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
  /** What is offered to the service changed. */
  readonly changed: () => void;
}

export class HostProfiles implements HostCommands {
  readonly platform: HostPlatform;
  readonly workspacesDir: string;
  readonly #deps: HostProfilesDeps;
  #stamp = 'never read';
  #client: ProfileReading = NO_PROFILES;
  #clientText = '';
  #ownText: string | null = null;
  #own: ProfileReading = NO_PROFILES;

  constructor(deps: HostProfilesDeps) {
    this.#deps = deps;
    this.workspacesDir = deps.workspacesDir;
    const { osName } = deps;
    this.platform = osName === 'win32' || osName === 'darwin' ? osName : 'linux';
  }

  environment(): Readonly<Record<string, string | undefined>> {
    return this.#deps.environment;
  }

  offers(): HostOffers {
    const on = this.list().profiles.filter(({ isOn }) => isOn);
    return {
      profiles: on.flatMap(({ profile }) => (profile === null ? [] : [profile])),
      leftOut: on.flatMap(({ name, profile, problems }) =>
        profile === null ? [{ name, why: whyOf(problems) }] : [],
      ),
    };
  }

  list(): ProfileList {
    const on = this.#on();
    const own = listed(this.#readOwn(), 'own', on);
    const taken = new Set(own.map(({ name }) => name.toLowerCase()));
    const client = listed(this.#readClient(), 'client', on).filter(
      ({ name }) => !taken.has(name.toLowerCase()),
    );
    const hidden = listed(this.#readClient(), 'client', on).filter(({ name }) =>
      taken.has(name.toLowerCase()),
    );
    const nameless = (reading: ProfileReading, source: ProfileSource): ProfileList['problems'] =>
      reading.problems
        .filter(({ profile }) => profile === null)
        .map((problem) => ({ ...problem, source }));
    return {
      profiles: [...own, ...client],
      problems: [
        ...nameless(this.#own, 'own'),
        ...nameless(this.#client, 'client'),
        ...hidden.map(({ name }) => shadowed(name)),
      ],
      file: this.#file() ?? '',
    };
  }

  /** The entries of a source as they were written, good and bad. */
  entries(source: ProfileSource): readonly unknown[] {
    if (source === 'own') return entriesOf(this.kept());
    this.#readClient();
    return entriesOf(this.#clientText);
  }

  /** The client's file: where it is looked for, and whether it is there. */
  clientFile(): {
    readonly path: string;
    readonly isOverridden: boolean;
    readonly exists: boolean;
  } {
    const path = this.#file();
    const named = this.#deps.environment[PROFILE_FILE_VARIABLE]?.trim() ?? '';
    return {
      path: path ?? '',
      isOverridden: named !== '',
      exists: path !== null && stampOf(path) !== '',
    };
  }

  /** The file is read again at the next look, changed or not. */
  readAnew(): void {
    this.#stamp = 'to be read';
  }

  /** Folders that directories of local commands may be in. */
  roots(): readonly string[] {
    const named = this.list().profiles.flatMap(({ profile }) => profile?.workspaceRoot ?? []);
    return [...new Set([this.workspacesDir, ...named])];
  }

  /** Throws ProblemError for a name that is not there, or cannot be used. */
  turn(name: string, isOn: boolean): void {
    const wanted = name.trim().toLowerCase();
    const found = this.list().profiles.find((one) => one.name.toLowerCase() === wanted);
    if (found === undefined && isOn)
      throw new ProblemError(
        'unknown_profile',
        `There is no profile ${name}.`,
        'Look at the list of profiles.',
      );
    if (found?.profile === null && isOn)
      throw new ProblemError('profile_unusable', whyOf(found.problems), found.problems[0]?.remedy);
    const { log, changed } = this.#deps;
    const others = this.#on().filter((one) => one !== wanted);
    this.#setOn(isOn ? [...others, wanted] : others);
    log.info('profile turned', { profile: found?.name ?? name, isOn });
    changed();
  }

  /**
   * Replaces the profiles kept here. Those that read badly are kept and left out.
   *
   * @param moved a name to another, which is on as that one was; null: whatever gets the name later begins off
   */
  keep(entries: readonly unknown[], moved: ReadonlyMap<string, string | null> = new Map()): void {
    this.#deps.facts.set(OWN_SETTING, fileText(entries));
    const keys = new Map([...moved].map(([from, to]) => [nameKey(from), to]));
    const on = this.#on().flatMap((name) => {
      const to = keys.get(name);
      return to === undefined ? [name] : to === null ? [] : [nameKey(to)];
    });
    this.#setOn([...new Set(on)]);
    this.#deps.changed();
  }

  /** The profiles kept here, as text of a profile file. */
  kept(): string {
    return this.#deps.facts.get(OWN_SETTING) ?? '{"profiles":[]}';
  }

  #setOn(names: readonly string[]): void {
    this.#deps.facts.set(ON_SETTING, JSON.stringify(names));
  }

  #on(): readonly string[] {
    const text = this.#deps.facts.get(ON_SETTING);
    if (text === undefined) return [];
    try {
      return onSchema.parse(JSON.parse(text));
    } catch {
      return [];
    }
  }

  #readOwn(): ProfileReading {
    const text = this.kept();
    if (text !== this.#ownText) {
      this.#ownText = text;
      this.#own = readProfiles(text, this.platform);
    }
    return this.#own;
  }

  /** Null where the variable names no full path: then no other file is taken in its stead. */
  #file(): string | null {
    const { environment, homeDir } = this.#deps;
    const file = clientProfileFile(environment, homeDir, this.platform);
    return file.kind === 'path' ? file.path : null;
  }

  /** Read anew when it changed; what is wrong with it is told once for each change. */
  #readClient(): ProfileReading {
    const file = this.#file();
    const stamp = file === null ? '' : stampOf(file);
    if (stamp === this.#stamp) return this.#client;
    this.#stamp = stamp;
    this.#clientText = '';
    this.#client = file === null ? problemReading(NOT_ABSOLUTE) : this.#load(file);
    for (const { code, profile, field } of this.#client.problems)
      this.#deps.log.warn('profile problem', { code, profile, field });
    return this.#client;
  }

  #load(file: string): ProfileReading {
    try {
      const found = statSync(file, { throwIfNoEntry: false });
      if (found === undefined) return NO_PROFILES;
      if (found.size > MAX_BYTES) return problemReading(TOO_LARGE);
      const text = readFileSync(file, 'utf8');
      const reading = readProfiles(text, this.platform);
      const owner = { uid: process.getuid?.() ?? -1, platform: this.platform };
      const problems = writableByOthers('file', found, owner);
      const unsafe = problems.find(({ severity }) => severity === 'error') ?? problems[0];
      // What only its group may write is told, and used.
      if (unsafe?.severity === 'error') return problemReading(unsafe);
      this.#clientText = text;
      return unsafe === undefined
        ? reading
        : { ...reading, problems: [...problemReading(unsafe).problems, ...reading.problems] };
    } catch {
      return problemReading(UNREADABLE);
    }
  }
}

type WholeProblem = Pick<ProfileProblem, 'code' | 'reason' | 'remedy'> &
  Partial<Pick<ProfileProblem, 'severity'>>;
const NOT_ABSOLUTE: WholeProblem = {
  code: 'file_unreadable',
  reason: `${PROFILE_FILE_VARIABLE} is not a full path.`,
  remedy: 'Give the whole path of the file, or remove the variable.',
};
const TOO_LARGE: WholeProblem = {
  code: 'file_too_large',
  reason: 'The profile file is larger than 1 MiB.',
  remedy: 'Remove profiles you do not use.',
};
const UNREADABLE: WholeProblem = {
  code: 'file_unreadable',
  reason: 'The profile file cannot be read.',
  remedy: 'Check its permissions.',
};

function problemReading(problem: WholeProblem): ProfileReading {
  const { severity = 'error' } = problem;
  const whole = { severity, index: null, profile: null, field: '' };
  return { profiles: [], problems: [{ ...problem, ...whole }] };
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

function listed(
  { profiles, problems }: ProfileReading,
  source: ProfileSource,
  on: readonly string[],
): readonly ListedProfile[] {
  const broken = new Set(problems.flatMap(({ profile }) => (profile === null ? [] : [profile])));
  for (const { name } of profiles) broken.delete(name);
  const entry = (name: string, profile: HostProfile | null): ListedProfile => ({
    name,
    source,
    isOn: on.includes(name.toLowerCase()),
    profile,
    problems: problems.filter((problem) => problem.profile === name),
  });
  return [
    ...profiles.map((profile) => entry(profile.name, profile)),
    ...[...broken].map((name) => entry(name, null)),
  ];
}

function whyOf(problems: readonly ProfileProblem[]): string {
  const first = problems.find(({ severity }) => severity === 'error') ?? problems[0];
  return first?.reason ?? 'It cannot be read.';
}

/** Changes with every save; '' without a file. */
function stampOf(path: string): string {
  try {
    const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true });
    return [mtimeNs, ctimeNs, size, ino].join(' ');
  } catch {
    return '';
  }
}
