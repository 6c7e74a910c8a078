/**
 * Which Docker engine this host uses, found at start and looked for again only while there is none or
 * after a job met none: an engine that answered is never asked again for the sake of asking.
 */
import {
  resolveEngine,
  type EndpointProbe,
  type EngineChoice,
} from '../../runner-core/docker/docker-endpoint.ts';
import type { Clock, Log, Timer } from '../../runner-core/ports.ts';
import type { EngineAddress } from '../../runner-core/worker/protocol.ts';

const LOOK_AGAIN_MS = 10_000;

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

export class EngineWatch {
  readonly #options: EngineWatchOptions;
  #choice: EngineChoice | null = null;
  #looking: Promise<EngineChoice> | null = null;
  #timer: Timer | null = null;
  #stopped = false;

  constructor(options: EngineWatchOptions) {
    this.#options = options;
  }

  /** Null until the first look is over. */
  get choice(): EngineChoice | null {
    return this.#choice;
  }

  address(): EngineAddress | null {
    return this.#choice?.ok === true ? this.#choice.address : null;
  }

  /** Looks now; joins a look that is under way. */
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

  async #lookOnce(): Promise<EngineChoice> {
    const { environment, homeDir, osName, probe, clock, log, changed } = this.#options;
    this.#timer?.cancel();
    const choice = await resolveEngine(environment, homeDir, osName, probe);
    const differs = JSON.stringify(choice) !== JSON.stringify(this.#choice);
    this.#choice = choice;
    if (!choice.ok && !this.#stopped)
      this.#timer = clock.after(LOOK_AGAIN_MS, () => void this.look());
    if (differs) {
      log.info(
        'docker engine',
        choice.ok ? { why: choice.why, version: choice.engine } : { ...choice.failure },
      );
      changed(choice);
    }
    return choice;
  }
}
