/**
 * Cursor on this machine: where its two names lead, which version it is, whether somebody is signed in. Cursor itself
 * is started only where a profile is on or a person wants it looked at, with the environment a job would have.
 */
import { tmpdir } from 'node:os';
import { parse } from 'node:path';
import { jobEnvironment } from '../../../runner-core/host-exec/environment.ts';
import { startReason, type StartProblem } from '../../../runner-core/host-exec/verdict.ts';
import type { HostProfile } from '../../../runner-core/model/host-profile.ts';
import { reasonText } from '../../../runner-core/model/reason-text.ts';
import type { Clock, HostCommands } from '../../../runner-core/ports.ts';
import { askCommand } from '../../../runner-core/process/ask-command.ts';
import {
  commandLine,
  resolveHere,
  type HostCommand,
} from '../../../runner-core/worker/host-command.ts';
import {
  EMPTY_DRAFT,
  type FoundExecutable,
  type ProfilesView,
} from '../../contract/profile-views.ts';

const VERSION_LIMIT_MS = 5_000;
const STATUS_LIMIT_MS = 10_000;
const VERSION_MAX_CHARS = 80;
const NAMES = ['cursor-agent', 'agent'] as const;
const SIGNED_OUT = /not (?:logged|signed) in|not authenticated|log(?:ged)? out/i;
const SIGNED_IN = /(?:logged|signed) in|authenticated/i;

/** Any profile's: only what it names beyond the list could differ. */
const NO_PROFILE: HostProfile = {
  name: 'any',
  executable: 'cursor-agent',
  argv: [],
  workspaceRoot: null,
  timeoutSeconds: 0,
  forceWrites: false,
  modelMap: {},
  passEnv: [],
  trustWorkspace: EMPTY_DRAFT.trust_workspace,
  lingerSeconds: EMPTY_DRAFT.linger_seconds,
  lingeredIsSuccess: false,
  stallSeconds: 0,
};

export type FoundCommand = HostCommand | StartProblem;
export type FoundView = ProfilesView['found'];

export interface CursorProbeDeps {
  readonly clock: Clock;
  readonly commands: Pick<HostCommands, 'environment' | 'platform'>;
  /** Calls `granted` when no other local command is starting; what it gives ends the turn. */
  readonly enterTurn: (granted: () => void) => () => void;
  readonly changed: () => void;
}

export class CursorProbe {
  readonly #deps: CursorProbeDeps;
  readonly #abort = new AbortController();
  #found: FoundView = { state: 'not_yet', checkedAtMs: null, executables: [] };
  #look: Promise<void> | null = null;
  #find: Promise<void> | null = null;

  constructor(deps: CursorProbeDeps) {
    this.#deps = deps;
  }

  /** As it was last found. */
  get found(): FoundView {
    return this.#found;
  }

  /** The file an executable leads to now, as a job would find it. Starts nothing. */
  resolve(executable: string): Promise<FoundCommand> {
    return resolveHere({ ...NO_PROFILE, executable }, this.#environment());
  }

  /** Looks anew; a look under way is joined. Never rejects. */
  look(): Promise<void> {
    this.#look ??= this.#lookNow().finally(() => (this.#look = null));
    return this.#look;
  }

  /** Where the two names lead, for a first view. Starts nothing; what was looked at already stays. Never rejects. */
  find(): Promise<void> {
    this.#find ??= this.#findNow();
    return this.#find;
  }

  async stop(): Promise<void> {
    this.#abort.abort(new Error('the host ends'));
    await Promise.all([this.#look, this.#find]);
  }

  async #findNow(): Promise<void> {
    const executables = await Promise.all(NAMES.map((name) => this.#unasked(name)));
    if (this.#found.state !== 'not_yet') return;
    this.#found = { ...this.#found, executables };
    this.#deps.changed();
  }

  async #unasked(name: (typeof NAMES)[number]): Promise<FoundExecutable> {
    const command = await this.#named(name);
    const unasked = { name, version: null, login: 'not_checked' } as const;
    return 'step' in command
      ? { ...unasked, path: null, problem: problemView(command) }
      : { ...unasked, path: pathOf(command), problem: null };
  }

  async #lookNow(): Promise<void> {
    const { clock, changed } = this.#deps;
    this.#found = { ...this.#found, state: 'looking' };
    changed();
    const executables: FoundExecutable[] = [];
    const asked = new Map<string, Pick<FoundExecutable, 'version' | 'login'>>();
    for (const name of NAMES) {
      const command = await this.#named(name);
      if ('step' in command) {
        const problem = problemView(command);
        executables.push({ name, path: null, problem, version: null, login: 'unknown' });
        continue;
      }
      const path = pathOf(command);
      const known = asked.get(path) ?? (await this.#ask(command));
      asked.set(path, known);
      executables.push({ name, path, problem: null, ...known });
    }
    this.#found = { state: 'done', checkedAtMs: clock.nowMs(), executables };
    changed();
  }

  /** A job that finds nothing by one name takes the other; here each is looked for alone. */
  async #named(name: (typeof NAMES)[number]): Promise<FoundCommand> {
    const command = await this.resolve(name);
    if ('step' in command || parse(command.found).name.toLowerCase() === name) return command;
    return { step: 'executable', code: 'missing', detail: `${name} is in no folder of the path` };
  }

  async #ask(command: HostCommand): Promise<Pick<FoundExecutable, 'version' | 'login'>> {
    const version = await this.#say(command, '--version', VERSION_LIMIT_MS);
    const status = await this.#say(command, 'status', STATUS_LIMIT_MS);
    return {
      version: version.exitCode === 0 ? versionIn(version.said) : null,
      login: SIGNED_OUT.test(status.said)
        ? 'signed_out'
        : status.exitCode === 0 && SIGNED_IN.test(status.said)
          ? 'signed_in'
          : 'unknown',
    };
  }

  async #say(command: HostCommand, word: string, limitMs: number) {
    const environment = this.#environment(command.directories);
    const line = commandLine(command, [word], environment);
    if ('step' in line) return { said: '', exitCode: null };
    const leave = await this.#turn();
    try {
      const order = { ...line, cwd: tmpdir(), environment };
      return await askCommand(this.#deps.clock, order, limitMs, this.#abort.signal);
    } finally {
      leave();
    }
  }

  /** Each start of Cursor writes its configuration. */
  #turn(): Promise<() => void> {
    return new Promise((resolve) => {
      const { signal } = this.#abort;
      const leave = this.#deps.enterTurn(() => queueMicrotask(() => resolve(leave)));
      signal.addEventListener('abort', () => resolve(leave), { once: true });
    });
  }

  #environment(directories: readonly string[] = []): Readonly<Record<string, string>> {
    const { commands } = this.#deps;
    const nobody = { jobId: '', flowId: null };
    return jobEnvironment(
      commands.environment(),
      NO_PROFILE,
      nobody,
      directories,
      commands.platform,
    );
  }
}

/** For the person here, with the paths that were looked at. */
export function problemView(problem: StartProblem): NonNullable<FoundExecutable['problem']> {
  const why = startReason(problem);
  const { what, remedy } = reasonText(why);
  return { code: why.code, reason: what, remedy };
}

/** The script where an npm shim was unwrapped. */
function pathOf({ path, prefix }: HostCommand): string {
  return prefix.at(-1) ?? path;
}

function versionIn(said: string): string | null {
  const line = said
    .split(/\r?\n/)
    .map((each) => each.replace(/\p{Cc}+/gu, ' ').trim())
    .find((each) => /\d/.test(each) && !each.startsWith('(node:'));
  return line === undefined ? null : line.slice(0, VERSION_MAX_CHARS);
}
