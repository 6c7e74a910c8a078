/** Flags and environment, read once, to one checked HostConfig. */
import { parseArgs } from 'node:util';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { parseServerUrl } from './control-plane/server-url.ts';
import { parseDuration } from './duration-text.ts';

export const DEFAULT_CONCURRENCY = 2;
export const MAX_CONCURRENCY = 32;
export const WAIT_FOR_JOB_MS = 15 * 60_000;

export interface HostConfig {
  /** Absolute; null: the operating system's usual place. */
  readonly dataDir: string | null;
  /** Null: the embedded plane. */
  readonly server: string | null;
  /** The owner's API token for `server`, from PRELOOP_TOKEN; used to enrol and never stored. */
  readonly ownerToken: string | null;
  /** Null: keep what is registered, or the machine's name. */
  readonly name: string | null;
  readonly labels: readonly string[] | null;
  /** Jobs at once, 1..32; null: the settings file or 2. */
  readonly concurrency: number | null;
  /** Of the local page; null: the last one used, or any. */
  readonly port: number | null;
  readonly open: boolean;
  /** `again`: the owner asks to resume this runner; `new`: to register a new one in its place. */
  readonly enrol: 'again' | 'new' | null;
  /** Ends after one job. */
  readonly once?: boolean;
  /** A runner for this stay only, that the service forgets when it ends. */
  readonly ephemeral?: boolean;
  /** With `once`: for a first job. */
  readonly waitForJobMs?: number;
}

export type ParsedConfig =
  | { readonly ok: true; readonly config: HostConfig }
  | { readonly ok: false; readonly kind: 'help' | 'version' }
  | {
      readonly ok: false;
      readonly kind: 'invalid';
      readonly flag: string;
      readonly problem: string;
    };

export const USAGE = `Usage: npm start [-- FLAGS]

  --data-dir DIR      keep everything in DIR
  --server URL        use this Preloop service (with PRELOOP_TOKEN set, the first time)
                      instead of the embedded plane
  --name NAME         this runner's name on the service
  --labels A,B        labels that flows can ask for
  --concurrency N     jobs at once, 1 to ${MAX_CONCURRENCY} (default ${DEFAULT_CONCURRENCY})
  --port N            the page's port; otherwise that of the last start, or any free one
  --no-open           do not open the page in a browser
  --enrol again|new   after the service refused this runner: resume it, or register a new one
  --once              end after one job: exit 0 it succeeded, 1 it did not, 2 none came
  --wait-for-job T    with --once: how long to wait for it, such as 90s or 15m (default 15m)
  --ephemeral         a runner for this stay only: the service forgets it at the end; where
                      no --data-dir is given its folder is removed as well
  --help, --version
`;

const OPTIONS = {
  'data-dir': { type: 'string' },
  server: { type: 'string' },
  name: { type: 'string' },
  labels: { type: 'string', multiple: true },
  concurrency: { type: 'string' },
  port: { type: 'string' },
  'no-open': { type: 'boolean' },
  enrol: { type: 'string' },
  once: { type: 'boolean' },
  ephemeral: { type: 'boolean' },
  'wait-for-job': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** Every flag by its long name, and whether a value follows it. */
export const FLAGS: Readonly<Record<string, 'value' | 'alone'>> = Object.fromEntries(
  Object.entries(OPTIONS).map(([name, { type }]) => [name, type === 'string' ? 'value' : 'alone']),
);

/** Never throws: every problem names its flag. */
export function parseConfig(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedConfig {
  let values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
  try {
    values = parseArgs({ args: [...args], options: OPTIONS, strict: true }).values;
  } catch (error) {
    // Node's first sentence says what is wrong; what follows explains the syntax of arguments.
    const said = error instanceof Error ? error.message : 'The flags cannot be read';
    return invalid('flags', said.split(/\. |\n/)[0] ?? said);
  }
  if (values.help === true) return { ok: false, kind: 'help' };
  if (values.version === true) return { ok: false, kind: 'version' };

  const server = values.server === undefined ? null : parseServerUrl(values.server);
  if (server?.ok === false) return invalid('--server', `${server.problem}. ${server.remedy}.`);
  const concurrency = wholeNumber(values.concurrency, 1, MAX_CONCURRENCY);
  if (concurrency === undefined)
    return invalid('--concurrency', `give a whole number from 1 to ${MAX_CONCURRENCY}`);
  const port = wholeNumber(values.port, 1, 65_535);
  if (port === undefined) return invalid('--port', 'give a whole number from 1 to 65535');
  const name = values.name?.trim() ?? null;
  if (name !== null && (name === '' || name.length > 200))
    return invalid('--name', 'give 1 to 200 characters');
  const enrol = values.enrol ?? null;
  if (enrol !== null && enrol !== 'again' && enrol !== 'new')
    return invalid('--enrol', 'give "again" or "new"');
  const once = values.once === true;
  const ephemeral = values.ephemeral === true;
  if (ephemeral && enrol !== null)
    return invalid('--enrol', 'an --ephemeral runner always registers anew; leave it out');
  const wait = values['wait-for-job'];
  if (wait !== undefined && !once) return invalid('--wait-for-job', 'only --once waits for a job');
  const waitForJobMs = wait === undefined ? WAIT_FOR_JOB_MS : parseDuration(wait);
  if (waitForJobMs === undefined)
    return invalid('--wait-for-job', 'give a time such as 90s or 15m');
  if (values['data-dir']?.trim() === '') return invalid('--data-dir', 'give a folder');

  return {
    ok: true,
    config: {
      dataDir: values['data-dir'] === undefined ? null : resolve(values['data-dir']),
      server: server?.url ?? null,
      ownerToken: nonEmpty(environment['PRELOOP_TOKEN']),
      name,
      labels: labelsOf(values.labels, ephemeral),
      // One job is all it takes, so the service must not promise a second slot.
      concurrency: once ? 1 : concurrency,
      port,
      open: values['no-open'] !== true,
      enrol,
      once,
      ephemeral,
      waitForJobMs,
    },
  };
}

/** One that nobody named is told apart from others of its machine by a label of its own. */
function labelsOf(
  given: readonly string[] | undefined,
  ephemeral: boolean,
): readonly string[] | null {
  const labels = given === undefined ? null : splitLabels(given);
  if (!ephemeral || (labels !== null && labels.length > 0)) return labels;
  return [`ci-${hostname() || 'runner'}-${process.pid}`];
}

function splitLabels(given: readonly string[]): readonly string[] {
  const labels = given.flatMap((text) => text.split(',')).map((label) => label.trim());
  return [...new Set(labels.filter((label) => label !== ''))];
}

/** Null when not given, undefined when it is no whole number in range. */
function wholeNumber(
  text: string | undefined,
  least: number,
  most: number,
): number | null | undefined {
  if (text === undefined) return null;
  const value = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function nonEmpty(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text.trim();
}

function invalid(flag: string, problem: string): ParsedConfig {
  return { ok: false, kind: 'invalid', flag, problem };
}
