/**
 * What the owner chose for this runner, and that it lasts: a pause with its end, and being offline. Owns
 * both rows in the store, and when a pause ends by itself. Wall time decides, also after sleep.
 */
import * as z from 'zod';
import type { Listener } from '../../runner-core/listener/listener.ts';
import type { Clock, Log, Timer } from '../../runner-core/ports.ts';
import type { PauseView } from '../contract/views.ts';
import { ProblemError } from '../problem.ts';
import type { SettingsStore } from '../store/settings-store.ts';
import type { PowerReading, PowerSource } from '../system-power.ts';

const PAUSE_SETTING = 'pause';
const OFFLINE_SETTING = 'offline';
/** A timer does not run while the machine sleeps, so none is set for longer. */
const LONGEST_WAIT_MS = 30_000;
/** The battery is looked at this often, and only while a pause depends on it. */
const BATTERY_EVERY_MS = 60_000;

const pauseSchema = z.object({
  when: z.enum(['now', 'after_jobs']),
  untilMs: z.number().nullable(),
  onBattery: z.boolean(),
  note: z.string().nullable(),
  sinceMs: z.number(),
});
type StoredPause = z.infer<typeof pauseSchema>;
const offlineSchema = z.object({ sinceMs: z.number() });

/** What is left out: at once, until resumed, without a note. */
export interface PauseWish {
  readonly when?: 'now' | 'after_jobs' | undefined;
  /** Epoch ms. */
  readonly untilMs?: number | null | undefined;
  readonly onBattery?: boolean | undefined;
  readonly note?: string | null | undefined;
}

export interface OwnerChoiceDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Pick<SettingsStore, 'get' | 'set' | 'delete'>;
  readonly listener: Pick<
    Listener,
    'session' | 'pause' | 'resume' | 'goOffline' | 'goOnline' | 'retry'
  >;
  readonly power: PowerSource | null;
  /** What is shown of it may have changed. */
  readonly changed: () => void;
}

export class OwnerChoice {
  readonly #deps: OwnerChoiceDeps;
  #pause: StoredPause | null = null;
  #offlineSinceMs: number | null = null;
  #isOnBattery = false;
  #timer: Timer | null = null;
  #unwatch: (() => void) | null = null;
  #isStopped = false;

  constructor(deps: OwnerChoiceDeps) {
    this.#deps = deps;
  }

  /** Takes up what was chosen before. Call it before the listener starts: a paused host takes nothing in between. */
  async start(): Promise<void> {
    this.#pause = this.#read(PAUSE_SETTING, pauseSchema);
    this.#offlineSinceMs = this.#read(OFFLINE_SETTING, offlineSchema)?.sinceMs ?? null;
    await this.check();
  }

  /** `active` false: chosen for while on battery, and the machine is not. */
  get pause(): PauseView | null {
    return this.#pause === null ? null : { ...this.#pause, active: this.#isActive };
  }

  /** Null: the owner wants to be online. */
  get offlineSinceMs(): number | null {
    return this.#offlineSinceMs;
  }

  /** Replaces a pause there is. Throws ProblemError for one that cannot be kept. */
  async takePause(wish: PauseWish): Promise<void> {
    const { clock, log, settings } = this.#deps;
    const untilMs = wish.untilMs ?? null;
    const onBattery = wish.onBattery === true;
    if (untilMs !== null && untilMs <= clock.nowMs())
      throw new ProblemError('time_past', 'That time has passed.', 'Name a later one.');
    if (onBattery) await this.#needBattery();
    const pause: StoredPause = {
      when: wish.when ?? 'now',
      untilMs,
      onBattery,
      note: plainNote(wish.note),
      sinceMs: clock.nowMs(),
    };
    settings.set(PAUSE_SETTING, JSON.stringify(pause));
    this.#pause = pause;
    log.info('paused by the owner', { when: pause.when, untilMs, onBattery });
    this.#apply();
  }

  resume(): void {
    this.#endPause('resumed by the owner');
    this.#apply();
  }

  goOffline(): void {
    const { clock, settings, listener, changed } = this.#deps;
    if (this.#offlineSinceMs === null) {
      const sinceMs = clock.nowMs();
      settings.set(OFFLINE_SETTING, JSON.stringify({ sinceMs }));
      this.#offlineSinceMs = sinceMs;
    }
    listener.goOffline();
    changed();
  }

  /** Also ends a wait for the next try, and takes a runner back that another process had. */
  goOnline(): void {
    const { settings, listener, changed } = this.#deps;
    if (this.#offlineSinceMs !== null) settings.delete(OFFLINE_SETTING);
    this.#offlineSinceMs = null;
    const { kind } = listener.session;
    if (kind === 'waiting' || kind === 'refused') listener.retry();
    else listener.goOnline();
    changed();
  }

  /** Looks whether the pause still holds, as after sleep. Throws what the store throws. */
  async check(): Promise<void> {
    if (this.#pause?.onBattery === true) await this.#readBattery();
    if (!this.#isStopped) this.#apply();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#unwatch?.();
  }

  get #isActive(): boolean {
    return this.#pause !== null && (!this.#pause.onBattery || this.#isOnBattery);
  }

  #apply(): void {
    const { clock, listener, changed } = this.#deps;
    const untilMs = this.#pause?.untilMs ?? null;
    if (untilMs !== null && clock.nowMs() >= untilMs) this.#pauseIsOver();
    if (this.#isActive)
      listener.pause({ unstarted: this.#pause?.when === 'after_jobs' ? 'start' : 'wait' });
    else listener.resume();
    this.#lookAgain();
    changed();
  }

  #lookAgain(): void {
    const { clock, log, power } = this.#deps;
    this.#timer?.cancel();
    this.#timer = null;
    const onBattery = this.#pause?.onBattery === true;
    const look = (): void =>
      void this.check().catch((error: unknown) => log.error('pause not checked', { error }));
    if (!onBattery) {
      this.#unwatch?.();
      this.#unwatch = null;
    } else this.#unwatch ??= power?.watch?.(look) ?? null;
    const waits = [
      ...(this.#pause?.untilMs == null
        ? []
        : [Math.min(LONGEST_WAIT_MS, Math.max(0, this.#pause.untilMs - clock.nowMs()))]),
      ...(onBattery && this.#unwatch === null ? [BATTERY_EVERY_MS] : []),
    ];
    if (waits.length > 0 && !this.#isStopped) this.#timer = clock.after(Math.min(...waits), look);
  }

  /** By its time, whether or not the disk takes it: the next start finds that out again. */
  #pauseIsOver(): void {
    try {
      this.#endPause('pause is over');
    } catch (error) {
      this.#pause = null;
      this.#deps.log.warn('end of a pause not stored', { error });
    }
  }

  #endPause(event: string): void {
    if (this.#pause === null) return;
    this.#deps.settings.delete(PAUSE_SETTING);
    this.#pause = null;
    this.#deps.log.info(event);
  }

  async #needBattery(): Promise<void> {
    const reading = await this.#readBattery();
    const instead = 'Pause until you resume, or for a time.';
    if (reading === 'no_battery')
      throw new ProblemError('no_battery', 'This machine tells of no battery.', instead);
    if (reading === 'unknown')
      throw new ProblemError(
        'battery_unknown',
        'Whether this machine runs on battery cannot be told on this system.',
        instead,
      );
  }

  /** A look that told nothing leaves what was known. */
  async #readBattery(): Promise<PowerReading> {
    const reading = (await this.#deps.power?.read()) ?? 'unknown';
    if (reading !== 'unknown') this.#isOnBattery = reading === 'battery';
    return reading;
  }

  /** A row that does not read, of another version perhaps, counts as no choice. */
  #read<T>(name: string, schema: z.ZodType<T>): T | null {
    const text = this.#deps.settings.get(name);
    if (text === undefined) return null;
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      this.#deps.log.warn('choice not readable', { name });
      return null;
    }
  }
}

/** One line that steers no terminal. */
function plainNote(given: string | null | undefined): string | null {
  const note = (given ?? '').replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return note === '' ? null : note;
}
