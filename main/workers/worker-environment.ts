/** The environment a worker gets: a short allow-list, never the host's own. */

/** How to find programs, the Docker configuration and a temp folder. */
const INHERITED = [
  'PATH',
  'HOME',
  'USERPROFILE',
  'SYSTEMROOT',
  'APPDATA',
  'LOCALAPPDATA',
  'LANG',
  'TMPDIR',
  'TEMP',
  'TMP',
  'DOCKER_CONFIG',
  'XDG_RUNTIME_DIR',
] as const;

/** The last words of a worker that are kept for the reason of a lost job. */
export const STDERR_TAIL_BYTES = 4_096;

export function workerEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
