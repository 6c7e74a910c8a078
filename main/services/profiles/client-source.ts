/** The public client's profile file: where it is, and what it holds. Only ever read, and again when it changed. */
import { readFileSync, statSync } from 'node:fs';
import {
  clientProfileFile,
  PROFILE_FILE_VARIABLE,
} from '../../../runner-core/host-exec/client-file.ts';
import { writableByOthers } from '../../../runner-core/host-exec/file-trust.ts';
import {
  PROFILE_FILE_MAX_BYTES,
  readProfiles,
  type ProfileReading,
} from '../../../runner-core/host-exec/read-profiles.ts';
import type { HostPlatform, ProfileProblem } from '../../../runner-core/model/host-profile.ts';
import type { Log } from '../../../runner-core/ports.ts';

const NO_PROFILES: ProfileReading = { profiles: [], problems: [] };

export interface ClientSourceDeps {
  readonly log: Log;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly platform: HostPlatform;
}

export class ClientSource {
  readonly #deps: ClientSourceDeps;
  #stamp = 'never read';
  #reading: ProfileReading = NO_PROFILES;
  #text = '';

  constructor(deps: ClientSourceDeps) {
    this.#deps = deps;
  }

  /** Null where the variable names no full path: then no other file is taken in its stead. */
  get path(): string | null {
    const { environment, homeDir, platform } = this.#deps;
    const file = clientProfileFile(environment, homeDir, platform);
    return file.kind === 'path' ? file.path : null;
  }

  /** Where it is looked for, and whether it is there. */
  get place(): {
    readonly path: string;
    readonly isOverridden: boolean;
    readonly exists: boolean;
  } {
    const { path } = this;
    const named = this.#deps.environment[PROFILE_FILE_VARIABLE]?.trim() ?? '';
    return {
      path: path ?? '',
      isOverridden: named !== '',
      exists: path !== null && stampOf(path) !== '',
    };
  }

  /** As it was written; '' where it is not used. */
  get text(): string {
    this.read();
    return this.#text;
  }

  /** Read anew when it changed; what is wrong with it is told once for each change. */
  read(): ProfileReading {
    const { path } = this;
    const stamp = path === null ? '' : stampOf(path);
    if (stamp === this.#stamp) return this.#reading;
    this.#stamp = stamp;
    this.#text = '';
    this.#reading = path === null ? problemReading(NOT_ABSOLUTE) : this.#load(path);
    for (const { code, profile, field } of this.#reading.problems)
      this.#deps.log.warn('profile problem', { code, profile, field });
    return this.#reading;
  }

  /** The file is read again at the next look, changed or not. */
  readAnew(): void {
    this.#stamp = 'to be read';
  }

  #load(path: string): ProfileReading {
    const { platform } = this.#deps;
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) return NO_PROFILES;
      if (found.size > PROFILE_FILE_MAX_BYTES) return problemReading(TOO_LARGE);
      const text = readFileSync(path, 'utf8');
      const reading = readProfiles(text, platform);
      const owner = { uid: process.getuid?.() ?? -1, platform };
      const problems = writableByOthers('file', found, owner);
      const unsafe = problems.find(({ severity }) => severity === 'error') ?? problems[0];
      // What only its group may write is told, and used.
      if (unsafe?.severity === 'error') return problemReading(unsafe);
      this.#text = text;
      return unsafe === undefined
        ? reading
        : { ...reading, problems: [...problemReading(unsafe).problems, ...reading.problems] };
    } catch {
      return problemReading(UNREADABLE);
    }
  }
}

/** False where a fault of the whole hides what it holds. */
export function isWhole({ problems }: ProfileReading): boolean {
  return !problems.some(({ index, severity }) => index === null && severity === 'error');
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

/** Changes with every save; '' without a file. */
function stampOf(path: string): string {
  try {
    const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true });
    return [mtimeNs, ctimeNs, size, ino].join(' ');
  } catch {
    return '';
  }
}
