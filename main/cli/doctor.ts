/**
 * `preloop-host doctor`: the checks of the Health screen, in the same order and words. Asks the host that runs, and
 * makes them itself where none does.
 */
import { homedir } from 'node:os';
import { parseServerUrl } from '../control-plane/server-url.ts';
import { CHECKS, type CheckId, type CheckState, type HealthView } from '../contract/views.ts';
import type { CommandContext, Verb } from './command-context.ts';
import { CommandError, EXIT, type ExitCode } from './exit-codes.ts';
import { plainText, table } from './plain-output.ts';

const STATES: Readonly<Record<CheckState, string>> = {
  ok: 'ok',
  warning: 'WARNING',
  failed: 'FAILED',
  skipped: 'not reached',
  not_applicable: 'no need',
  unchecked: 'not yet',
};

export const doctor: Verb = async (context) => {
  const { client, words, flags } = context;
  const [word] = words;
  const { mute, unmute } = flags;
  if (flags.server !== null)
    throw new CommandError('A host runs here, and knows its service. Leave --server out.');
  if (mute !== null) await client.request('health.mute', { check: checkNamed(mute) });
  if (unmute !== null) await client.request('health.unmute', { check: checkNamed(unmute) });
  // Muting is answered with what is known, not with another round.
  const isOnlyMuting = word === undefined && (mute !== null || unmute !== null);
  const view = isOnlyMuting
    ? await client.until('health', {})
    : await client.request('health.run', { check: word === undefined ? null : checkNamed(word) });
  return told(view, context);
};

type AloneContext = Omit<CommandContext, 'client'>;

/** Where no host runs. */
export async function doctorAlone(context: AloneContext, noHost: CommandError): Promise<ExitCode> {
  const { flags, words, clock, dataDir, environment, osName } = context;
  // What is muted is the host's to remember, and one check alone needs what it knows of the others.
  if (flags.mute !== null || flags.unmute !== null || words.length > 0) throw noHost;
  const server = flags.server === null ? null : parseServerUrl(flags.server);
  if (server?.ok === false)
    throw new CommandError(`--server: ${server.problem}. ${server.remedy}.`);
  // Only here: the other verbs need none of what the checks do.
  const { healthAlone } = await import('../services/health/alone.ts');
  const view = await healthAlone({
    ...{ clock, dataDir, environment, osName },
    server: server?.url ?? null,
    homeDir: homedir(),
    log: SILENT,
  });
  if (!flags.json) context.print('No host runs with this data folder; checked without one.');
  return told(view, context);
}

const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

function told(view: HealthView, { flags, print }: AloneContext): ExitCode {
  if (flags.json) print(JSON.stringify(view));
  else for (const line of doctorLines(view)) print(plainText(line));
  return view.failed === 0 ? EXIT.done : EXIT.notSucceeded;
}

export function doctorLines({ checks, attention, failed, muted }: HealthView): readonly string[] {
  const rows = checks.map(({ title, state, said, tookMs, muted: isMuted }) => [
    title,
    `${STATES[state]}${isMuted ? ', muted' : ''}`,
    tookMs === null ? '' : `${tookMs} ms`,
    said,
  ]);
  const lines = table([['CHECK', 'STATE', 'TOOK', 'FOUND'], ...rows]);
  const [head = '', ...found] = lines;
  const withRemedies = found.flatMap((line, index) => {
    const remedy = checks[index]?.remedy ?? null;
    return remedy === null ? [line] : [line, `  -> ${remedy}`];
  });
  const warnings = attention - failed;
  const counts = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`]),
    ...(muted === 0 ? [] : [`${muted} muted`]),
  ];
  return [
    head,
    ...withRemedies,
    counts.length === 0 ? 'Nothing is wrong.' : `${counts.join(', ')}.`,
  ];
}

function checkNamed(text: string): CheckId {
  const wanted = text.toLowerCase().replaceAll(/[ -]/g, '_');
  const check = CHECKS.find((id) => id === wanted);
  if (check === undefined)
    throw new CommandError(`There is no check ${text}. Checks are ${CHECKS.join(', ')}.`);
  return check;
}
