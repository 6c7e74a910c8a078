/** A profile as it is written, in a file and in the form: between `HostProfile` and the keys of a profile file. Pure. */
import type { HostProfile } from '../../../runner-core/model/host-profile.ts';
import { isJsonObject } from '../../../runner-core/model/json.ts';
import {
  EMPTY_DRAFT,
  profileDraftSchema,
  type ProfileDraft,
} from '../../contract/profile-views.ts';

export function draftOf(profile: HostProfile): ProfileDraft {
  return {
    name: profile.name,
    executable: profile.executable,
    argv: [...profile.argv],
    workspace_root: profile.workspaceRoot ?? '',
    timeout_seconds: profile.timeoutSeconds,
    force_writes: profile.forceWrites,
    model_map: { ...profile.modelMap },
    pass_env: [...profile.passEnv],
    trust_workspace: profile.trustWorkspace,
    linger_seconds: profile.lingerSeconds,
    lingered_is_success: profile.lingeredIsSuccess,
    stall_seconds: profile.stallSeconds,
  };
}

/** Of an entry that may be wrong; null where a key is not even of its type, so that no form could show it. */
export function draftFrom(entry: unknown): ProfileDraft | null {
  if (!isJsonObject(entry)) return null;
  const given = Object.entries(entry).filter(
    ([key, value]) => Object.hasOwn(EMPTY_DRAFT, key) && value !== null,
  );
  return (
    profileDraftSchema.safeParse({ ...EMPTY_DRAFT, executable: '', ...Object.fromEntries(given) })
      .data ?? null
  );
}

/** Text of a profile file, for people to read. */
export function fileText(entries: readonly unknown[]): string {
  return `${JSON.stringify({ profiles: entries }, null, 2)}\n`;
}

/** The entries of a profile file; none where it is not one. */
export function entriesOf(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    const listed = isJsonObject(value) ? value['profiles'] : undefined;
    return Array.isArray(listed) ? (listed as readonly unknown[]) : [];
  } catch {
    return [];
  }
}

/** As profiles are told apart; '' where it has no readable name. */
export function keyOf(entry: unknown): string {
  const name = isJsonObject(entry) ? entry['name'] : undefined;
  return typeof name === 'string' ? nameKey(name) : '';
}

export function nameKey(name: string): string {
  return name.trim().toLowerCase();
}
