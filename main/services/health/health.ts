/**
 * The checks of this host: what each found last, which the owner muted, and running them again. Owns no timer:
 * a round is made at the start, when somebody asks, and when what a check looks at has changed.
 */
import * as z from 'zod';
import type { Clock, Log } from '../../../runner-core/ports.ts';
import { CHECKS, checkIdSchema, type CheckId, type HealthView } from '../../contract/views.ts';
import type { SettingsStore } from '../../store/settings-store.ts';
import { NEEDS, type Checks, type Finding, type Look } from './check.ts';
import { checkViewOf, healthView, type Found } from './health-view.ts';

export const MUTED_SETTING = 'muted_checks';

export interface HealthDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Anew for each round. */
  readonly checks: () => Checks;
  readonly settings: Pick<SettingsStore, 'get' | 'set'>;
  /** The view is another. */
  readonly changed: () => void;
}

export class Health {
  readonly #deps: HealthDeps;
  readonly #found = new Map<CheckId, Found>();
  readonly #running = new Set<CheckId>();
  readonly #abort = new AbortController();
  #muted: ReadonlySet<CheckId>;
  #hasBegun = false;
  #last: { readonly atMs: number; readonly tookMs: number } | null = null;
  /** Rounds follow each other; this one is over when all are. */
  #queue: Promise<void> = Promise.resolve();
  /** All checks, asked for and not begun: another wish for the same joins it. */
  #waiting: Promise<void> | null = null;

  constructor(deps: HealthDeps) {
    this.#deps = deps;
    this.#muted = mutedIn(deps.settings.get(MUTED_SETTING));
  }

  /** True once all checks were made. */
  get hasRun(): boolean {
    return this.#last !== null;
  }

  view(): HealthView {
    const checks = CHECKS.map((id) =>
      checkViewOf(id, this.#found.get(id), {
        isRunning: this.#running.has(id),
        isMuted: this.#muted.has(id),
      }),
    );
    return healthView(checks, this.#last);
  }

  /** As a person asks for it: null for all. One alone brings with it what it needs and is not well. Never rejects. */
  async run(check: CheckId | null): Promise<HealthView> {
    if (check === null) {
      this.#waiting ??= this.#enqueue(() => {
        this.#waiting = null;
        return this.#all(true);
      });
      await this.#waiting;
    } else await this.#enqueue(() => this.#pass(this.#around(check), true));
    return this.view();
  }

  /** By itself, at the start: looks at no more than it has to. Never rejects. */
  async runQuietly(): Promise<void> {
    await this.#enqueue(() => this.#all(false));
  }

  /** What these look at has changed. Nothing before the first round begins, which will see it. Never rejects. */
  async refresh(...checks: readonly CheckId[]): Promise<void> {
    if (!this.#hasBegun) return;
    await this.#enqueue(() => this.#pass(new Set(checks), false));
  }

  /** Throws StoreUnavailableError where it cannot be remembered; nothing is muted then. */
  mute(check: CheckId, isMuted: boolean): void {
    const muted = CHECKS.filter((id) => (id === check ? isMuted : this.#muted.has(id)));
    this.#deps.settings.set(MUTED_SETTING, JSON.stringify(muted));
    this.#muted = new Set(muted);
    this.#deps.changed();
  }

  /** Ends what is under way; nothing is looked at afterwards. */
  stop(): void {
    this.#abort.abort(new Error('the host ends'));
  }

  #enqueue(round: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(() => (this.#abort.signal.aborted ? undefined : round()));
    return this.#queue;
  }

  async #all(isAsked: boolean): Promise<void> {
    const { clock } = this.#deps;
    const startedMs = clock.monotonicMs();
    this.#hasBegun = true;
    await this.#pass(new Set(CHECKS), isAsked);
    if (this.#abort.signal.aborted) return;
    this.#last = { atMs: clock.nowMs(), tookMs: Math.round(clock.monotonicMs() - startedMs) };
    this.#deps.changed();
  }

  /** In order; those of the machine do not wait for a service that is slow to answer. */
  async #pass(wanted: ReadonlySet<CheckId>, isAsked: boolean): Promise<void> {
    const looks = this.#deps.checks();
    for (const id of wanted) this.#running.add(id);
    this.#deps.changed();
    const lane = async (isOfService: boolean): Promise<void> => {
      for (const id of CHECKS.filter((id) => wanted.has(id) && isServiceCheck(id) === isOfService))
        await this.#make(id, looks[id], isAsked);
    };
    await Promise.all([lane(true), lane(false)]);
  }

  async #make(id: CheckId, look: Look, isAsked: boolean): Promise<void> {
    const { clock, changed } = this.#deps;
    if (this.#isStopped()) return;
    const blocking = NEEDS[id].find((need) => blocks(this.#found.get(need)));
    const startedMs = clock.monotonicMs();
    const found: Found =
      blocking !== undefined
        ? { kind: 'skipped', because: this.#causeOf(blocking) }
        : await this.#look(id, look, isAsked).then((finding) => ({
            kind: 'found',
            finding,
            tookMs: Math.round(finding.tookMs ?? clock.monotonicMs() - startedMs),
          }));
    if (this.#isStopped()) return;
    this.#found.set(id, found);
    this.#running.delete(id);
    changed();
  }

  #isStopped(): boolean {
    return this.#abort.signal.aborted;
  }

  /** The one that failed, where that one was not reached either. */
  #causeOf(id: CheckId): CheckId {
    const found = this.#found.get(id);
    return found?.kind === 'skipped' ? found.because : id;
  }

  async #look(id: CheckId, look: Look, isAsked: boolean): Promise<Finding> {
    const { signal } = this.#abort;
    try {
      return await look({ isAsked, signal });
    } catch (error) {
      if (!signal.aborted) this.#deps.log.error('check not made', { check: id, error });
      return {
        state: 'failed',
        said: 'This could not be looked at.',
        remedy: 'See host.log in the folder diagnostics of the data folder.',
      };
    }
  }

  /** With what it needs and is not well, and with what was not reached because of it. */
  #around(check: CheckId): ReadonlySet<CheckId> {
    const wanted = new Set<CheckId>([check]);
    // Backwards, so that what is needed by what is needed comes in as well.
    for (const id of CHECKS.toReversed())
      if (wanted.has(id))
        for (const need of NEEDS[id]) if (!isWell(this.#found.get(need))) wanted.add(need);
    for (const id of CHECKS)
      if (this.#found.get(id)?.kind === 'skipped' && NEEDS[id].some((need) => wanted.has(need)))
        wanted.add(id);
    return wanted;
  }
}

/** `name` to `clock`: the way to the service. */
export function isServiceCheck(id: CheckId): boolean {
  return CHECKS.indexOf(id) <= CHECKS.indexOf('clock');
}

function blocks(found: Found | undefined): boolean {
  return found !== undefined && (found.kind === 'skipped' || found.finding.state === 'failed');
}

function isWell(found: Found | undefined): boolean {
  return (
    found?.kind === 'found' && ['ok', 'warning', 'not_applicable'].includes(found.finding.state)
  );
}

/** A row that does not read, of another version perhaps, mutes nothing. */
export function mutedIn(text: string | undefined): ReadonlySet<CheckId> {
  try {
    const names = z.array(z.string()).parse(JSON.parse(text ?? '[]'));
    return new Set(names.flatMap((name) => checkIdSchema.safeParse(name).data ?? []));
  } catch {
    return new Set();
  }
}
