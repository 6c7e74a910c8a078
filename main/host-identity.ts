/** Keeps trying to have an identity on the service: at once from the store, else by enrolling. */
import { arch, hostname, platform } from 'node:os';
import { reconnectDelayMs } from '../runner-core/listener/reconnect-delay.ts';
import type { RunnerId } from '../runner-core/model/ids.ts';
import type { Clock, RandomSource, RunnerIdentity } from '../runner-core/ports.ts';
import type { Enrolled, Enrolment, EnrolmentRequest } from './services/enrolment.ts';

/** The names the service knows systems and processors by (Go's), from Node's. */
const OS_NAMES: Readonly<Record<string, string>> = { win32: 'windows' };
const ARCH_NAMES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** What a registration says of this machine; the service's length limits are kept. */
export function thisMachine(): EnrolmentRequest['machine'] {
  return {
    hostname: hostname().slice(0, 200) || 'runner',
    os: OS_NAMES[platform()] ?? platform(),
    arch: ARCH_NAMES[arch()] ?? arch(),
  };
}

export interface HostIdentityOptions {
  readonly enrolment: Enrolment;
  readonly request: EnrolmentRequest;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Called after each try; null for success. */
  readonly tried: (problem: (Enrolled & { readonly ok: false }) | null) => void;
}

export class HostIdentity {
  readonly #options: HostIdentityOptions;
  readonly #abort = new AbortController();
  #knownRunner: RunnerId | null = null;
  #identity: RunnerIdentity | null = null;

  constructor(options: HostIdentityOptions) {
    this.#options = options;
  }

  get current(): RunnerIdentity | null {
    return this.#identity;
  }

  /** Whose labels are on what an earlier host left, also where the service has to be asked before `current` is known. */
  get knownRunner(): RunnerId | null {
    return this.#identity?.runnerId ?? this.#knownRunner;
  }

  /** True where the identity is known without asking anybody; it is `current` at once. */
  recall(): boolean {
    const { enrolment, request } = this.#options;
    this.#knownRunner = enrolment.knownRunner(request) ?? null;
    this.#identity = enrolment.stored(request) ?? null;
    return this.#identity !== null;
  }

  /** Resolves true with an identity; false when only the owner can help, or after `stop`. */
  async obtain(): Promise<boolean> {
    const { enrolment, request, clock, random, tried } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const enrolled = await enrolment.identity(request);
      if (this.#abort.signal.aborted) return false;
      if (enrolled.ok) {
        this.#identity = enrolled.identity;
        tried(null);
        return true;
      }
      tried(enrolled);
      if (!enrolled.retryable) return false;
      try {
        await clock.wait(reconnectDelayMs(attempt, random) + 1_000, this.#abort.signal);
      } catch {
        return false;
      }
    }
  }

  stop(): void {
    this.#abort.abort();
  }
}
