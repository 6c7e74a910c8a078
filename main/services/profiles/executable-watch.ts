/**
 * Where the executables of profiles lead on this machine, as last seen, so that none is offered that no job could
 * start. Looks at files; starts nothing.
 */
import type { Clock } from '../../../runner-core/ports.ts';
import { problemView, type FoundCommand } from './cursor-probe.ts';

/** What was seen within this time is not looked at again unasked: less than the time between two heartbeats. */
const FRESH_MS = 10_000;

/** Why a profile's executable cannot be started. */
export interface ExecutableRefusal {
  readonly code: string;
  /** For the person here, with the paths that were looked at. */
  readonly reason: string;
  readonly remedy: string;
  /** For the service: without any path. */
  readonly told: string;
}

export interface ExecutableWatchDeps {
  readonly clock: Clock;
  readonly resolve: (executable: string) => Promise<FoundCommand>;
  /** One can be started that could not be, or the other way round. */
  readonly changed: () => void;
}

export class ExecutableWatch {
  readonly #deps: ExecutableWatchDeps;
  readonly #seen = new Map<string, { readonly command: FoundCommand; readonly atMs: number }>();
  readonly #looks = new Map<string, Promise<FoundCommand>>();

  constructor(deps: ExecutableWatchDeps) {
    this.#deps = deps;
  }

  /** As last seen; undefined: not looked at yet. */
  found(executable: string): FoundCommand | undefined {
    return this.#seen.get(executable)?.command;
  }

  /** Null: it can be started, or nobody looked yet. */
  refusal(executable: string): ExecutableRefusal | null {
    const command = this.found(executable);
    if (command === undefined || !('step' in command)) return null;
    const { code, reason, remedy } = problemView(command);
    return { code, reason, remedy, told: TOLD[code] ?? 'Its executable cannot be started here.' };
  }

  /** Looks anew, after a look under way: that one may have passed by what is there now. */
  look(executable: string): Promise<FoundCommand> {
    const before: Promise<unknown> = this.#looks.get(executable) ?? Promise.resolve();
    const look = before
      .then(() => this.#lookNow(executable))
      .finally(() => {
        if (this.#looks.get(executable) === look) this.#looks.delete(executable);
      });
    this.#looks.set(executable, look);
    return look;
  }

  /** In the background, where the last look is too long ago. */
  refresh(executables: Iterable<string>): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const executable of new Set(executables)) {
      const seen = this.#seen.get(executable);
      const isDue = seen === undefined || nowMs - seen.atMs >= FRESH_MS;
      if (isDue && !this.#looks.has(executable)) void this.look(executable);
    }
  }

  /** Resolves when no look is under way. */
  async stop(): Promise<void> {
    await Promise.all(this.#looks.values());
  }

  async #lookNow(executable: string): Promise<FoundCommand> {
    const { clock, resolve, changed } = this.#deps;
    const before = this.refusal(executable)?.code;
    const command = await resolve(executable);
    this.#seen.set(executable, { command, atMs: clock.monotonicMs() });
    if (this.refusal(executable)?.code !== before) changed();
    return command;
  }
}

const TOLD: Readonly<Record<string, string>> = {
  host_exec_binary_missing: 'Its executable is not on this machine.',
  host_exec_not_executable: 'Its executable may not be executed.',
};
