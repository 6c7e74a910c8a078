/**
 * Whether others on the machine could have written a profile file, an executable or a workspace folder. Pure: judged
 * by what a look at the file told. Windows keeps its rights elsewhere, so nothing is said there.
 */
import type { HostPlatform } from '../model/host-profile.ts';
import type { FoundProblem } from './check-profile.ts';
import type { FileFacts } from './resolve-executable.ts';

/** Who the host runs as. */
export interface Owner {
  readonly uid: number;
  readonly platform: HostPlatform;
}

/** `jobs_folder`: the one in the workspace folder in which each job gets its own. */
export type TrustedThing = 'file' | 'executable' | 'workspace' | 'jobs_folder';

const GROUP_WRITE = 0o020;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const ROOT = 0;

/**
 * What is wrong with who may write it. Whoever may write a folder can swap what is in it under a running job, so that is
 * an error; so is a profile file or an executable that everybody may write. One that its group may write is warned of:
 * on many systems that is a group of one.
 */
export function writableByOthers(
  thing: TrustedThing,
  facts: Pick<FileFacts, 'mode' | 'uid'>,
  owner: Owner,
): readonly FoundProblem[] {
  if (owner.platform === 'win32') return [];
  const problems: FoundProblem[] = [];
  const { field, what } = THINGS[thing];
  const isOpenToAll = (facts.mode & OTHERS_WRITE) !== 0;
  const isShared = isOpenToAll || (facts.mode & GROUP_WRITE) !== 0;
  const isFolder = thing === 'workspace' || thing === 'jobs_folder';
  // Like /tmp: everybody may add to it, and nobody but its owner may touch what another made.
  const isStickyFolder = thing === 'workspace' && (facts.mode & STICKY) !== 0;
  if (isShared && !isStickyFolder)
    problems.push({
      code: WRITABLE[thing],
      severity: isOpenToAll || isFolder ? 'error' : 'warning',
      field,
      reason: `${isOpenToAll ? 'Everybody on this machine' : 'Its group'} may write ${what}, and so ${isFolder ? 'change what a job works on' : 'decide what runs as you'}.`,
      remedy: 'Take that right away with chmod go-w.',
    });
  if (facts.uid !== owner.uid && facts.uid !== ROOT && owner.uid !== -1)
    problems.push({
      code: FOREIGN[thing],
      severity: 'error',
      field,
      reason: `${what.replace(/^./, (first) => first.toUpperCase())} belongs to another user, who may change it.`,
      remedy: 'Make it yours with chown, or use one of your own.',
    });
  return problems;
}

/** The workspace folder a profile names, as it was found; null: there is nothing. */
export function workspaceProblems(facts: FileFacts | null, owner: Owner): readonly FoundProblem[] {
  const field = 'workspace_root';
  if (facts === null)
    return [
      {
        code: 'workspace_missing',
        severity: 'error',
        field,
        reason: 'The workspace folder does not exist.',
        remedy: 'Make it, or leave it empty for a folder of this host.',
      },
    ];
  if (facts.kind !== 'directory')
    return [
      {
        code: 'workspace_not_directory',
        severity: 'error',
        field,
        reason: 'The workspace folder is not a folder.',
        remedy: 'Name a folder, or leave it empty for one of this host.',
      },
    ];
  return writableByOthers('workspace', facts, owner);
}

const THINGS = {
  file: { field: '', what: 'the profile file' },
  executable: { field: 'executable', what: 'the executable' },
  workspace: { field: 'workspace_root', what: 'the workspace folder' },
  jobs_folder: { field: 'workspace_root', what: 'the folder of jobs in the workspace folder' },
} as const;
const WRITABLE = {
  file: 'file_writable_by_others',
  executable: 'executable_writable_by_others',
  workspace: 'workspace_writable_by_others',
  jobs_folder: 'workspace_writable_by_others',
} as const;
const FOREIGN = {
  file: 'file_foreign_owner',
  executable: 'executable_foreign_owner',
  workspace: 'workspace_foreign_owner',
  jobs_folder: 'workspace_foreign_owner',
} as const;
