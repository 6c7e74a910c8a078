/** The host's state as lines for a terminal. Pure. */
import type { OverviewView } from './contract/views.ts';
import type { EngineChoice } from '../runner-core/docker/docker-endpoint.ts';
import { networkWords } from '../runner-core/model/network-problem.ts';
import type { Refusal, SessionState } from '../runner-core/model/session-state.ts';
import type { EngineLeftover } from '../runner-core/model/leftover.ts';
import { reasonText } from '../runner-core/model/reason-text.ts';
import { takenByWords } from './services/views/sentence.ts';
import type { ForcedEnd } from './services/forced-end.ts';
import type { UnexpectedEnd } from './services/unexpected.ts';
import { endWords } from './services/views/end-words.ts';
import type { TakenBy } from './services/take-over.ts';
import {
  storageFaults,
  storageSentence,
  type StorageState,
} from './services/views/storage-words.ts';
import type { StoredJob } from '../runner-core/ports.ts';

const REFUSAL_WORDS = {
  unauthorized: "The service does not accept this runner's token. Start once with --enrol again.",
  gone: 'The service no longer knows this runner. Start once with --enrol new.',
  deleted:
    'This runner was deleted on the service. Start once with --enrol new to register it anew.',
  rotated: "This runner's token was rotated elsewhere. Start once with --enrol again.",
} as const;

/** `nowMs` is epoch ms; the countdown is in whole seconds. `takenBy` null: not known yet. */
export function sessionLine(
  state: SessionState,
  serverUrl: string,
  nowMs: number,
  takenBy: TakenBy | null = null,
): string {
  switch (state.kind) {
    case 'signed_out':
      return `Session  not enrolled with ${serverUrl}`;
    case 'dialling':
      return `Session  connecting to ${serverUrl}`;
    case 'online':
      return 'Session  online';
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil((state.retryAtMs - nowMs) / 1000));
      const remedy = state.problem === undefined ? null : networkWords(state.problem).remedy;
      const then = remedy === null ? '' : `. ${remedy}`;
      return `Session  offline: ${state.cause}; next try in ${seconds} s${then}`;
    }
    case 'refused':
      return `Session  ${refusalWords(state.refusal, takenBy)}`;
    case 'closed':
      return 'Session  closed';
  }
}

function refusalWords(refusal: Refusal, takenBy: TakenBy | null): string {
  if (refusal !== 'replaced') return REFUSAL_WORDS[refusal];
  const { who, limit } = takenByWords(takenBy);
  const place = limit === null ? '' : ` ${limit}`;
  return `${who} took over this runner.${place} No jobs are taken until you decide; to take it back: npx preloop-host take-back`;
}

/** Whether jobs are taken, once that was not so. */
export function intakeLine(
  intake: OverviewView['intake'],
  { state, consequence }: OverviewView['sentence'],
): string {
  return intake === 'open' ? 'Jobs     taken again' : `Jobs     ${state} ${consequence}`;
}

/** How to hand a job to this host; `dataDir` null: the usual place, which the command finds by itself. */
export function submitLine(dataDir: string | null): string {
  const flag = dataDir === null ? '' : ` --data-dir ${shellWord(dataDir)}`;
  return `Submit   npx preloop-host submit job.yaml --wait${flag}`;
}

/** `problem` names file, line and field, and what to write there. */
export function settingsLine(problem: string | null): string {
  return problem === null
    ? 'Settings in force again'
    : `Settings ${problem}. Until then the last good values stay in force.`;
}

/** `takenPort`: the port the owner knows, where somebody else has it now. */
export function pageLine(signInUrl: string, takenPort: number | null): string {
  const why = takenPort === null ? '' : `; port ${takenPort} is in use by another program`;
  return `Page     ${signInUrl} (good once, for a minute; for a new one: npx preloop-host open${why})`;
}

export function engineLine(choice: EngineChoice | null): string {
  if (choice === null) return 'Docker   looking';
  if (!choice.ok) return `Docker   ${choice.failure.reason} ${choice.failure.remedy}`;
  return `Docker   ${choice.engine.version} through ${choice.why}`;
}

/** One line for each thing the owner has to know of disk and database; none while all is well. */
export function storageLines(storage: StorageState): readonly string[] {
  const sentence = storageSentence(storage);
  return [
    ...(sentence === null
      ? []
      : [
          `Disk     ${sentence.state} ${sentence.consequence} ${sentence.remedy?.label ?? ''}`.trimEnd(),
        ]),
    ...storageFaults(storage).map(({ what, why }) => `Store    ${what} ${why}`),
  ];
}

/** The host before this one ended by a failure. */
export function lastEndLine(lastEnd: UnexpectedEnd, nowMs: number): string {
  const { state, consequence } = endWords(lastEnd, nowMs, undefined);
  return `Fault    ${state} ${consequence}`;
}

/** What could not be removed at a quick end, each with the command that does it. */
export function leftLines({
  things,
  label,
}: ForcedEnd & { readonly kind: 'left' }): readonly string[] {
  if (things === null)
    return [
      `Left     containers that Docker did not tell of; list them with: docker ps -a --filter label=${label}`,
    ];
  return things.map(
    (thing) =>
      `Left     ${thing.kind.replace('_', ' ')} ${thing.name}; remove it with: ${removalOf(thing)}`,
  );
}

function removalOf({ kind, name }: EngineLeftover): string {
  switch (kind) {
    case 'container':
      return `docker rm -fv ${shellWord(name)}`;
    case 'network':
      return `docker network rm ${shellWord(name)}`;
    case 'compose_project':
      return `docker compose -p ${shellWord(name)} down -v`;
  }
}

/** @param osName decides which shell reads it */
export function leftFolder(dataDir: string, osName: NodeJS.Platform = process.platform): string {
  const removal = osName === 'win32' ? `rmdir /s /q "${dataDir}"` : `rm -rf ${shellWord(dataDir)}`;
  return `Left     folder ${dataDir}; remove it with: ${removal}`;
}

/** One line a state; for an end with its reason and remedy in plain words. */
export function jobLine(job: StoredJob): string {
  const { spec, state } = job;
  const name = `Job      ${spec.jobId.slice(0, 8)}`;
  switch (state.kind) {
    case 'accepted':
      return `${name} accepted (${spec.agentType}${spec.kind === 'docker_launch' ? `, ${spec.image}` : ''})`;
    case 'starting':
      return `${name} starting`;
    case 'running':
      return `${name} running`;
    case 'stopping':
      return `${name} stopping`;
    case 'reporting': {
      const { outcome, reason } = state.verdict;
      const words = reason === null ? null : reasonText(reason);
      const why = words === null ? '' : `: ${words.what} ${words.remedy}`;
      return `${name} ${outcome.replace('_', ' ')}${linesText(job.lines)}${why}`;
    }
    case 'settled':
      return `${name} reported`;
  }
}

function linesText(lines: number): string {
  if (lines === 0) return '';
  return lines === 1 ? ', 1 line' : `, ${lines} lines`;
}

/** Quoted only where a shell would split or expand it. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
