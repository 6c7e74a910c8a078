/**
 * The environment of a host job: what may go through of the host's own, what the owner named, and the job's ids.
 * The service can add nothing.
 */
import type { HostPlatform, HostProfile } from '../model/host-profile.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Names a job by its environment: how processes that left its group are found again. */
export const JOB_VARIABLE = 'PRELOOP_FLOW_EXECUTION_ID';
export const FLOW_VARIABLE = 'PRELOOP_FLOW_ID';

export interface JobIdentity {
  readonly jobId: string;
  readonly flowId: string | null;
}

const SHARED = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
  ...['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'PRELOOP_DISABLE_TELEMETRY'],
];
const POSIX = ['HOME', 'USER', 'LOGNAME', 'SHELL', 'PATH', 'TMPDIR', 'TERM', 'TZ', 'LANG'];
const POSIX_PREFIXES = ['LC_', 'XDG_', 'CURSOR_'];
const WINDOWS = [
  ...['PATH', 'PATHEXT', 'COMSPEC', 'SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'TEMP', 'TMP'],
  ...['USERPROFILE', 'USERNAME', 'USERDOMAIN', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA'],
  ...['PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'ALLUSERSPROFILE'],
  ...['PUBLIC', 'NUMBER_OF_PROCESSORS', 'OS', 'PSMODULEPATH'],
];
const WINDOWS_PREFIXES = ['PROCESSOR_', 'CURSOR_'];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The variables Cursor is started with.
 *
 * @param directories of the binary and of the profile's own path, put in front of `PATH` where it lacks them
 */
export function jobEnvironment(
  hostEnv: Environment,
  profile: HostProfile,
  job: JobIdentity,
  directories: readonly string[],
  platform: HostPlatform,
): Readonly<Record<string, string>> {
  const isWindows = platform === 'win32';
  const named = (name: string): string => (isWindows ? name.toUpperCase() : name);
  const exact = new Set(
    [...SHARED, ...(isWindows ? WINDOWS : POSIX), ...profile.passEnv].map(named),
  );
  const prefixes = isWindows ? WINDOWS_PREFIXES : POSIX_PREFIXES;
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(hostEnv)) {
    if (value === undefined || isOurs(name)) continue;
    const compared = named(name);
    if (exact.has(compared) || prefixes.some((prefix) => compared.startsWith(prefix)))
      result[name] = value;
  }
  if (UUID.test(job.jobId)) result[JOB_VARIABLE] = job.jobId.toLowerCase();
  if (job.flowId !== null && UUID.test(job.flowId))
    result[FLOW_VARIABLE] = job.flowId.toLowerCase();
  const pathName = isWindows
    ? (Object.keys(result).find((name) => name.toUpperCase() === 'PATH') ?? 'Path')
    : 'PATH';
  const path = withDirectories(result[pathName], directories, isWindows);
  if (path !== '') result[pathName] = path;
  return result;
}

/** Everything of Preloop's own stays out, however it is spelled, but for one switch that holds nothing. */
function isOurs(name: string): boolean {
  const upper = name.toUpperCase();
  return upper.startsWith('PRELOOP_') && upper !== 'PRELOOP_DISABLE_TELEMETRY';
}

function withDirectories(
  path: string | undefined,
  directories: readonly string[],
  isWindows: boolean,
): string {
  const separator = isWindows ? ';' : ':';
  const present = (path ?? '').split(separator).filter((entry) => entry !== '');
  const same = (one: string, other: string): boolean =>
    isWindows ? one.toLowerCase() === other.toLowerCase() : one === other;
  const added: string[] = [];
  for (const directory of directories)
    if (directory !== '' && ![...added, ...present].some((entry) => same(entry, directory)))
      added.push(directory);
  // The rest stays as it was: an empty entry means the working directory, which is for its owner to judge.
  return [...added, ...(path === undefined || path === '' ? [] : [path])].join(separator);
}
