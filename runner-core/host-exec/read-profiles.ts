/**
 * Reads profiles from text: the public client's own file, and an import of ours, which have one form. A profile that
 * cannot be used is left out and told; it never takes others with it. Whose file it is, and whether it is on, is for
 * the caller.
 */
import { isJsonObject } from '../model/json.ts';
import type { HostPlatform, HostProfile, ProfileProblem } from '../model/host-profile.ts';
import { utf8Bytes } from '../wire/text-bytes.ts';
import { checkProfile } from './check-profile.ts';

export const PROFILE_FILE_MAX_BYTES = 1_048_576;
export const PROFILES_MAX = 64;

export interface ProfileReading {
  /** Those that can be used, in the order of the file. */
  readonly profiles: readonly HostProfile[];
  readonly problems: readonly ProfileProblem[];
}

/** Reads a profile file, `{"profiles": […]}`. One bad profile is left out and told; the others stand. */
export function readProfiles(text: string, platform: HostPlatform): ProfileReading {
  if (utf8Bytes(text) > PROFILE_FILE_MAX_BYTES)
    return wholeFile('file_too_large', 'The file is larger than 1 MiB.', 'Shorten it.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return wholeFile(
      'file_unreadable',
      text.startsWith('\uFEFF')
        ? 'The file begins with a byte-order mark, which JSON does not allow.'
        : 'The file is not JSON.',
      'Open it in an editor and correct it, or save it again as plain UTF-8.',
    );
  }
  const listed = value === null ? [] : isJsonObject(value) ? (value['profiles'] ?? []) : undefined;
  if (!Array.isArray(listed))
    return wholeFile(
      'file_shape',
      'The file does not hold a list named profiles.',
      'Write {"profiles": []} with the profiles between the brackets.',
    );
  return readList(listed as readonly unknown[], platform);
}

/** The same for profiles that are no text any more. */
export function readList(listed: readonly unknown[], platform: HostPlatform): ProfileReading {
  const profiles: HostProfile[] = [];
  const problems: ProfileProblem[] = [];
  const taken = new Set<string>();
  for (const [index, value] of listed.slice(0, PROFILES_MAX).entries()) {
    const { profile, problems: found } = checkProfile(value, platform);
    const name = profile?.name ?? nameOf(value);
    problems.push(...found.map((problem) => ({ ...problem, index, profile: name })));
    if (name === null) continue;
    const isTaken = taken.has(name.toLowerCase());
    taken.add(name.toLowerCase());
    if (!isTaken) {
      if (profile !== null) profiles.push(profile);
      continue;
    }
    problems.push({
      code: 'name_taken',
      severity: 'error',
      index,
      profile: name,
      field: 'name',
      reason: `Another profile before it is called ${name}; names differ by more than case.`,
      remedy: 'Give one of them another name.',
    });
  }
  if (listed.length > PROFILES_MAX)
    problems.push({
      code: 'too_many_profiles',
      severity: 'error',
      index: PROFILES_MAX,
      profile: null,
      field: '',
      reason: `There are ${listed.length} profiles; those after the first ${PROFILES_MAX} are left out.`,
      remedy: 'Remove profiles that no flow uses.',
    });
  return { profiles, problems };
}

function nameOf(value: unknown): string | null {
  const name = isJsonObject(value) ? value['name'] : undefined;
  const known = typeof name === 'string' ? name.trim() : '';
  return known === '' ? null : known.replace(/\p{Cc}+/gu, ' ').slice(0, 64);
}

function wholeFile(code: ProfileProblem['code'], reason: string, remedy: string): ProfileReading {
  const place = { index: null, profile: null, field: '' };
  return { profiles: [], problems: [{ code, severity: 'error', ...place, reason, remedy }] };
}
