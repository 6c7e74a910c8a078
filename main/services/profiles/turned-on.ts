/**
 * What the owner turned on: local commands on this machine at all, and each profile by its source, its name and a
 * digest of what it runs, so that nothing else ever runs by the same name. Known in memory once it was read.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { HostProfile } from '../../../runner-core/model/host-profile.ts';
import type { Log } from '../../../runner-core/ports.ts';
import type { SettingsStore } from '../../store/settings-store.ts';
import { nameKey } from './draft.ts';

export type ProfileSource = 'client' | 'own';
/** `changed`: it was on, and would run something else now. */
export type Turned = 'on' | 'off' | 'changed';

const ALLOWED_SETTING = 'host_commands_allowed';
const ON_SETTING = 'host_profiles_on';
const entrySchema = z.strictObject({
  source: z.enum(['client', 'own']),
  /** As names are told apart. */
  key: z.string(),
  /** Null: it was seen changed, and stays so even where the change is taken back. */
  digest: z.string().nullable(),
});
type Entry = z.infer<typeof entrySchema>;

/** A profile as its source has it; null where it cannot be used. */
export interface SourcedProfile {
  readonly source: ProfileSource;
  readonly name: string;
  readonly profile: HostProfile | null;
}

export class TurnedOn {
  readonly #facts: Pick<SettingsStore, 'get' | 'set'>;
  readonly #log: Log;
  #read: { isAllowed: boolean; entries: readonly Entry[] } | null = null;

  constructor(facts: Pick<SettingsStore, 'get' | 'set'>, log: Log) {
    this.#facts = facts;
    this.#log = log;
  }

  /** Whether any local command may run here. Off until the owner says so. */
  get isAllowed(): boolean {
    return this.#known.isAllowed;
  }

  allow(isAllowed: boolean): void {
    const known = this.#known;
    this.#facts.set(ALLOWED_SETTING, String(isAllowed));
    known.isAllowed = isAllowed;
  }

  /** One that cannot be used stays as it was turned: what it would run is not known. */
  of({ source, name, profile }: SourcedProfile): Turned {
    const entry = this.#entry(source, nameKey(name));
    if (entry === undefined) return 'off';
    if (entry.digest === null) return 'changed';
    return profile === null || entry.digest === digestOf(profile) ? 'on' : 'changed';
  }

  turn({ source, name, profile }: SourcedProfile, isOn: boolean): void {
    const key = nameKey(name);
    const others = this.#known.entries.filter((entry) => entry.key !== key);
    if (!isOn) this.#keep(others);
    else if (profile !== null) this.#keep([...others, { source, key, digest: digestOf(profile) }]);
  }

  /** Whatever gets the name later begins off. */
  forget(name: string): void {
    const key = nameKey(name);
    if (this.#known.entries.some((entry) => entry.key === key))
      this.#keep(this.#known.entries.filter((entry) => entry.key !== key));
  }

  /**
   * Compares with all that a source holds now: names that are gone are forgotten, and what changed stays changed.
   *
   * @returns whether anything was found
   */
  compare(source: ProfileSource, profiles: readonly SourcedProfile[]): boolean {
    const there = new Map(profiles.map((each) => [nameKey(each.name), each]));
    const next = this.#known.entries.flatMap((entry): readonly Entry[] => {
      if (entry.source !== source) return [entry];
      const found = there.get(entry.key);
      if (found === undefined) {
        this.#log.warn('profile gone', { profile: entry.key });
        return [];
      }
      if (entry.digest === null || this.of(found) !== 'changed') return [entry];
      this.#log.warn('profile changed since it was turned on', { profile: found.name });
      return [{ ...entry, digest: null }];
    });
    const { entries } = this.#known;
    const isSame =
      next.length === entries.length && next.every((entry, at) => entry === entries[at]);
    if (!isSame) this.#note(next);
    return !isSame;
  }

  get #known(): { isAllowed: boolean; entries: readonly Entry[] } {
    this.#read ??= {
      isAllowed: this.#facts.get(ALLOWED_SETTING) === 'true',
      entries: entriesIn(this.#facts.get(ON_SETTING)),
    };
    return this.#read;
  }

  #entry(source: ProfileSource, key: string): Entry | undefined {
    return this.#known.entries.find((entry) => entry.source === source && entry.key === key);
  }

  #keep(entries: readonly Entry[]): void {
    const known = this.#known;
    this.#facts.set(ON_SETTING, JSON.stringify(entries));
    known.entries = entries;
  }

  /** What is off by itself is off even where the disk refuses to have it noted. */
  #note(entries: readonly Entry[]): void {
    this.#known.entries = entries;
    try {
      this.#keep(entries);
    } catch (error) {
      this.#log.warn('profiles that went off not stored', { error });
    }
  }
}

/** Of all that decides what is started, where and with which rights; its limits do not. */
function digestOf(profile: HostProfile): string {
  const { executable, argv, workspaceRoot, passEnv, forceWrites, trustWorkspace } = profile;
  // Which model answers, and for how long, is no other command: those may change.
  const parts = [executable, argv, workspaceRoot, passEnv, forceWrites, trustWorkspace];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** What does not read is off. */
function entriesIn(text: string | undefined): readonly Entry[] {
  if (text === undefined) return [];
  try {
    return z.array(entrySchema).parse(JSON.parse(text));
  } catch {
    return [];
  }
}
