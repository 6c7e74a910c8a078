/** Where the public client keeps its profiles. The file is only ever read. */
import { posix, win32 } from 'node:path';
import type { HostPlatform } from '../model/host-profile.ts';
import { isAbsolutePath } from './resolve-executable.ts';

export const PROFILE_FILE_VARIABLE = 'PRELOOP_RUNNER_HOST_PROFILES';
export const PROFILE_FILE_NAME = 'runner-host-profiles.json';

export type ClientFile =
  | { readonly kind: 'path'; readonly path: string; readonly isOverridden: boolean }
  | { readonly kind: 'relative'; readonly variable: typeof PROFILE_FILE_VARIABLE };

/** The client's file: what its variable names, else the one in its folder. That it exists is not said. */
export function clientProfileFile(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: HostPlatform,
): ClientFile {
  const path = platform === 'win32' ? win32 : posix;
  const named = env[PROFILE_FILE_VARIABLE]?.trim() ?? '';
  if (named === '')
    return {
      kind: 'path',
      path: path.join(home, '.preloop', PROFILE_FILE_NAME),
      isOverridden: false,
    };
  return isAbsolutePath(named, platform)
    ? { kind: 'path', path: path.normalize(named), isOverridden: true }
    : { kind: 'relative', variable: PROFILE_FILE_VARIABLE };
}
