/**
 * Which Docker engine this host uses, found at start and looked for again only while there is none, when a call
 * to it got no answer, and before a job is taken: an engine that answered is never asked again for the sake of
 * asking. While there is none the files that tell of one are looked at, which wakes nobody; a connection is
 * tried when they changed.
 */
import {
  engineFiles,
  resolveEngine,
  type EndpointProbe,
  type EngineChoice,
  type EngineFailure,
} from '../../runner-core/docker/docker-endpoint.ts';
import type { EngineInUse } from '../../runner-core/docker/leftover-remover.ts';
import type { EngineIdentity } from '../../runner-core/model/leftover.ts';
import type { Clock, Log, Timer } from '../../runner-core/ports.ts';
import type { EngineAddress } from '../../runner-core/worker/protocol.ts';

/** Between two looks at the files. */
const TICK_MS = 10_000;
/** Where nothing sleeps that a connection could wake: also without a change of the files, every so many ticks. */
const TICKS_PER_TRY = 6;
/** An engine that is on its way up is tried at each tick for five minutes. */
const WAKING_TICKS = 30;

export interface EngineWatchOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly osName: NodeJS.Platform;
  readonly probe: EndpointProbe;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the choice changed. */
  readonly changed: (choice: EngineChoice) => void;
}

export class EngineWatch implements EngineInUse {
  readonly #options: EngineWatchOptions;
  #choice: EngineChoice | null = null;
  #looking: Promise<EngineChoice> | null = null;
  #checking: Promise<void> | null = null;
  #timer: Timer | null = null;
  /** Of the files, as they were at the last look. */
  #stamp = '';
  /** Since the engine, or the lack of one, was last another. */
  #ticks = 0;
  #stopped = false;

  constructor(options: EngineWatchOptions) {
    this.#options = options;
  }

  /** Null until the first look is over. */
  get choice(): EngineChoice | null {
    return this.#choice;
  }

  /** Why there is no engine, with what can be done; null where there is one. */
  get problem(): string | null {
    if (this.#choice === null || this.#choice.ok) return null;
    const { reason, remedy } = this.#choice.failure;
    return `${reason} ${remedy}`;
  }

  address(): EngineAddress | null {
    return this.#choice?.ok === true ? this.#choice.address : null;
  }

  identity(): EngineIdentity | null {
    return this.#choice?.ok === true ? this.#choice.identity : null;
  }

  /** A call to the engine got no answer: whether there is one is looked at now. */
  missed(): void {
    if (!this.#stopped) void this.look();
  }

  /**
   * Whether the engine in use is still there, by one call to it; looks anew where it is not. Only for what needs it
   * at once, such as a job that was offered: it wakes an engine that sleeps. Never rejects.
   */
  check(): Promise<void> {
    this.#checking ??= this.#checkOnce().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  /** Looks anew where the files that tell of engines have changed since the last look; connects to nothing before. */
  async lookIfChanged(): Promise<void> {
    if (this.#stopped || this.#looking !== null) return;
    if ((await this.#stampNow()) !== this.#stamp) await this.look();
  }

  /** Looks now; joins a look that is under way. Never rejects. */
  look(): Promise<EngineChoice> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #checkOnce(): Promise<void> {
    const choice = this.#choice;
    // Where there is none, the search for one goes on by itself.
    if (this.#stopped || choice?.ok !== true) return;
    if (!(await this.#options.probe.answers(choice.address, choice.identity.id))) await this.look();
  }

  async #lookOnce(): Promise<EngineChoice> {
    const { environment, homeDir, osName, probe, log, changed } = this.#options;
    this.#timer?.cancel();
    // Before the look: what changes during it is found at the next tick.
    this.#stamp = await this.#stampNow();
    const choice = await resolveEngine(environment, homeDir, osName, probe);
    const differs = JSON.stringify(choice) !== JSON.stringify(this.#choice);
    this.#choice = choice;
    if (differs) this.#ticks = 0;
    if (!choice.ok) this.#tickLater();
    if (differs) {
      log.info(
        'docker engine',
        choice.ok ? { why: choice.why, version: choice.engine } : { ...choice.failure },
      );
      changed(choice);
    }
    return choice;
  }

  /** Looks at the files, and for an engine only where that can have come. Never rejects. */
  async #tick(): Promise<void> {
    const choice = this.#choice;
    if (this.#stopped || this.#looking !== null || choice === null || choice.ok) return;
    this.#ticks += 1;
    const stamp = await this.#stampNow();
    if (stamp !== this.#stamp || isWorthATry(choice.failure.kind, this.#ticks)) await this.look();
    else this.#tickLater();
  }

  #tickLater(): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.after(TICK_MS, () => void this.#tick());
  }

  async #stampNow(): Promise<string> {
    const { environment, homeDir, osName, probe } = this.#options;
    const files = await engineFiles(environment, homeDir, osName, probe);
    return (await Promise.all(files.map((file) => probe.stamp(file)))).join('\n');
  }
}

function isWorthATry(kind: EngineFailure['kind'], ticks: number): boolean {
  switch (kind) {
    // It answers, and would be kept awake for nothing: another version, or another permission, shows in the files.
    case 'too_old':
    case 'no_permission':
      return false;
    case 'waking_up':
      return ticks <= WAKING_TICKS || ticks % TICKS_PER_TRY === 0;
    case 'not_installed':
    case 'not_running':
    case 'unreachable':
      return ticks % TICKS_PER_TRY === 0;
  }
}
