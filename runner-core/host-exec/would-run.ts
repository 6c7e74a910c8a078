/** The command line of a profile as a person reads it, with a word in place of what each job brings. Pure. */
import type { HostPlatform, HostProfile } from '../model/host-profile.ts';
import { buildArguments } from './arguments.ts';
import { windowsQuoted } from './npm-shim.ts';

/** Of the profile; added by this host; filled in per job. */
export type CommandPartSource = 'profile' | 'runner' | 'job';
export interface CommandPart {
  /** Quoted as a shell reads it. */
  readonly text: string;
  readonly from: CommandPartSource;
}

export interface WouldRun {
  readonly profile: HostProfile;
  /** The file that would be started and what stands in front of the arguments; null: not found, so it is as written. */
  readonly found: { readonly path: string; readonly prefix: readonly string[] } | null;
  /** Folder of the job's directory, with its last separator. */
  readonly parent: string;
  readonly platform: HostPlatform;
}

export const JOB_WORD = '<job>';
export const PROMPT_WORD = '<prompt>';
export const MODEL_WORD = '<model>';
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Made by what makes the real one, so that both cannot differ. With a model list, as for a flow that asks for a model. */
export function wouldRun({ profile, found, parent, platform }: WouldRun): readonly CommandPart[] {
  const model = Object.keys(profile.modelMap)[0] ?? null;
  const workspace = `${parent}${JOB_WORD}`;
  const all = buildArguments(profile, { workspace, prompt: PROMPT_WORD, model, hasTrust: true });
  const behind =
    2 + (profile.forceWrites ? 1 : 0) + (model === null ? 0 : 2) + 2; /* workspace … prompt */
  const ownFrom = all.length - behind - profile.argv.length;
  const shown = (text: string): string => quoted(text, platform);
  const parts = all.map((text, at): CommandPart => {
    if (at >= ownFrom && at < all.length - behind) return { text: shown(text), from: 'profile' };
    if (at === all.length - 1) return { text: PROMPT_WORD, from: 'job' };
    if (model !== null && at === all.length - 3) return { text: MODEL_WORD, from: 'job' };
    if (at === all.length - behind + 1)
      return { text: shown(parent).replace(/(["']?)$/, `${JOB_WORD}$1`), from: 'job' };
    return { text, from: 'runner' };
  });
  return [
    { text: shown(found?.path ?? profile.executable), from: 'profile' },
    ...(found?.prefix ?? []).map((text): CommandPart => ({ text: shown(text), from: 'runner' })),
    ...parts,
  ];
}

function quoted(text: string, platform: HostPlatform): string {
  if (platform === 'win32') return windowsQuoted(text);
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
