/**
 * What the owner does with profiles made here: check, keep, remove, copy, bring in and give out. The client's file is
 * never written; what is new begins off, whatever was on by its name before.
 */
import { checkProfile } from '../../../runner-core/host-exec/check-profile.ts';
import {
  PROFILES_MAX,
  PROFILE_FILE_MAX_BYTES,
  readProfiles,
} from '../../../runner-core/host-exec/read-profiles.ts';
import type { HostProfile, ProfileProblem } from '../../../runner-core/model/host-profile.ts';
import type { ProfileDraft } from '../../contract/profile-views.ts';
import type { RequestResult } from '../../contract/requests.ts';
import { ProblemError } from '../../problem.ts';
import type { HostProfiles, ListedProfile } from '../host-profiles.ts';
import { draftFrom, draftOf, entriesOf, fileText, keyOf, nameKey } from './draft.ts';

export type EditedProfiles = Pick<HostProfiles, 'list' | 'entries' | 'keep' | 'platform'>;
const NAME_MAX_CHARS = 64;

export interface CheckedDraft {
  /** Null: it has an error. */
  readonly profile: HostProfile | null;
  readonly problems: readonly ProfileProblem[];
}

export class ProfileEdits {
  readonly #profiles: EditedProfiles;

  constructor(profiles: EditedProfiles) {
    this.#profiles = profiles;
  }

  /** @param editing the profile made here that it is an edit of; null: a new one */
  check(draft: ProfileDraft, editing: string | null): CheckedDraft {
    const { profile, problems } = checkProfile(draft, this.#profiles.platform);
    const name = draft.name.trim() === '' ? null : draft.name.trim();
    const found: ProfileProblem[] = problems.map((each) => ({
      ...each,
      index: null,
      profile: name,
    }));
    const key = nameKey(draft.name);
    const isTaken = this.#all().some(
      (other) =>
        nameKey(other.name) === key &&
        !(other.source === 'own' && editing !== null && nameKey(editing) === key),
    );
    if (isTaken && key !== '') found.push(taken(draft.name.trim()));
    found.sort(
      (one, other) => Number(one.severity !== 'error') - Number(other.severity !== 'error'),
    );
    return { profile: isTaken ? null : profile, problems: found };
  }

  /** Throws ProblemError for an edit of what is not there. */
  save(draft: ProfileDraft, editing: string | null): RequestResult<'profiles.save'> {
    const { profile, problems } = this.check(draft, editing);
    const entries = this.#profiles.entries('own');
    const edited = editing === null ? null : nameKey(this.#own(editing).name);
    if (profile === null) return { saved: false, problems: [...problems] };
    const entry = { ...draft, name: profile.name };
    const isThere = edited !== null && entries.some((each) => keyOf(each) === edited);
    const next = isThere
      ? entries.map((each) => (keyOf(each) === edited ? entry : each))
      : [...entries, entry];
    const full = tooMuch(next);
    if (full !== null) return { saved: false, problems: [...problems, full] };
    const begins = [profile.name, null] as const;
    this.#profiles.keep(
      next,
      new Map(
        edited === null
          ? [begins]
          : [...(edited === nameKey(profile.name) ? [] : [begins]), [edited, profile.name]],
      ),
    );
    return { saved: true, problems: [...problems] };
  }

  remove(name: string): void {
    const key = nameKey(this.#own(name).name);
    const entries = this.#profiles.entries('own').filter((each) => shownKey(each) !== key);
    this.#profiles.keep(entries, new Map([[key, null]]));
  }

  /** The name of the copy. */
  duplicate(name: string): string {
    const found = this.#named(name);
    const draft = this.#draft(found);
    if (draft === null)
      throw new ProblemError(
        'profile_unreadable',
        `${found.name} cannot be read well enough to be copied.`,
        'Make a new profile instead.',
      );
    const copy = { ...draft, name: this.#freeName(found.name) };
    const next = [...this.#profiles.entries('own'), copy];
    const full = tooMuch(next);
    if (full !== null) throw new ProblemError(full.code, full.reason, full.remedy);
    this.#profiles.keep(next, new Map([[copy.name, null]]));
    return copy.name;
  }

  import(text: string, isReplacing: boolean): RequestResult<'profiles.import'> {
    const reading = readProfiles(text, this.#profiles.platform);
    const given = entriesOf(text);
    const whole = reading.problems.filter(({ index }) => index === null || index >= PROFILES_MAX);
    if (whole.length > 0) return { problems: whole, profiles: [] };
    let entries = this.#profiles.entries('own');
    const begins = new Map<string, null>();
    const profiles = given.map(
      (entry, index): RequestResult<'profiles.import'>['profiles'][number] => {
        const problems = reading.problems.filter((each) => each.index === index);
        const name = problems[0]?.profile ?? nameOf(entry);
        const refused = { index, name, outcome: 'refused' as const };
        if (problems.some(({ severity }) => severity === 'error')) return { ...refused, problems };
        const key = nameKey(name);
        const other = this.#all().find((each) => nameKey(each.name) === key);
        if (other !== undefined && !(isReplacing && other.source === 'own'))
          return { ...refused, problems: [...problems, { ...taken(name), index }] };
        const next =
          other === undefined
            ? [...entries, entry]
            : entries.map((each) => (keyOf(each) === key ? entry : each));
        const full = tooMuch(next);
        if (full !== null) return { ...refused, problems: [...problems, { ...full, index }] };
        entries = next;
        if (other === undefined) begins.set(name, null);
        return { index, name, outcome: other === undefined ? 'added' : 'replaced', problems };
      },
    );
    if (profiles.some(({ outcome }) => outcome !== 'refused')) this.#profiles.keep(entries, begins);
    return { problems: [], profiles };
  }

  export(names: readonly string[] | null): string {
    if (names === null) return fileText(this.#profiles.entries('own'));
    return fileText(names.map((name) => this.#entry(this.#named(name))));
  }

  /** For the form; null where no form could show it. */
  draftOf(listed: ListedProfile): ProfileDraft | null {
    return this.#draft(listed);
  }

  #draft(listed: ListedProfile): ProfileDraft | null {
    return listed.profile === null ? draftFrom(this.#entry(listed)) : draftOf(listed.profile);
  }

  #entry({ name, source }: ListedProfile): unknown {
    const key = nameKey(name);
    return this.#profiles.entries(source).find((each) => shownKey(each) === key) ?? {};
  }

  #freeName(name: string): string {
    const used = new Set(this.#all().map((each) => nameKey(each.name)));
    for (let count = 1; ; count++) {
      const ending = count === 1 ? '-copy' : `-copy-${count}`;
      const base =
        name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'profile';
      const wanted = `${base.slice(0, NAME_MAX_CHARS - ending.length)}${ending}`;
      if (!used.has(nameKey(wanted))) return wanted;
    }
  }

  #own(name: string): ListedProfile {
    const found = this.#named(name);
    if (found.source === 'own') return found;
    throw new ProblemError(
      'not_own',
      `${found.name} is in the client's own file, which this app never writes.`,
      'Duplicate it, and change the copy.',
    );
  }

  #named(name: string): ListedProfile {
    const key = nameKey(name);
    const found = this.#all().find((each) => nameKey(each.name) === key);
    if (found !== undefined) return found;
    throw new ProblemError(
      'unknown_profile',
      `There is no profile ${name}.`,
      'Look at the list of profiles.',
    );
  }

  #all(): readonly ListedProfile[] {
    return this.#profiles.list().profiles;
  }
}

/** As a broken entry's name is listed. */
function shownKey(entry: unknown): string {
  return nameKey(nameOf(entry));
}

function nameOf(entry: unknown): string {
  return keyedName(entry)
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, NAME_MAX_CHARS);
}

function keyedName(entry: unknown): string {
  const draft = typeof entry === 'object' && entry !== null && 'name' in entry ? entry.name : '';
  return typeof draft === 'string' ? draft.trim() : '';
}

function taken(name: string): ProfileProblem {
  return {
    code: 'name_taken',
    severity: 'error',
    index: null,
    profile: name,
    field: 'name',
    reason: `Another profile is called ${name}; names differ by more than case.`,
    remedy: 'Choose another name.',
  };
}

/** Null: it fits into a profile file. */
function tooMuch(entries: readonly unknown[]): ProfileProblem | null {
  const place = { severity: 'error', index: null, profile: null, field: '' } as const;
  if (entries.length > PROFILES_MAX)
    return {
      ...place,
      code: 'too_many_profiles',
      reason: `There are ${PROFILES_MAX} profiles already, which is the most.`,
      remedy: 'Remove profiles that no flow uses.',
    };
  if (Buffer.byteLength(fileText(entries)) > PROFILE_FILE_MAX_BYTES)
    return {
      ...place,
      code: 'file_too_large',
      reason: 'All profiles together would be larger than 1 MiB.',
      remedy: 'Shorten their arguments, or remove some.',
    };
  return null;
}
