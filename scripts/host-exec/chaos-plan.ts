/** What a seed does to one host job: what its command plays, who interferes, and how it has to end. Pure. */
import { Chance } from '../chaos/chance.ts';

export type Interference = 'none' | 'halt' | 'halt_at_once' | 'worker_killed';

export interface ChaosPlan {
  readonly seed: number;
  readonly profile: 'calm' | 'short' | 'counted';
  readonly steps: readonly object[];
  readonly interference: Interference;
  /** After this many steps of the command. */
  readonly afterSteps: number;
  /** One of these is right. More than one only where the interference may come too late. */
  readonly ends: readonly End[];
  /** In a few words. */
  readonly what: string;
}
export interface End {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'STOPPED';
  /** Null: none. */
  readonly code: string | null;
}

const GOOD: End = { status: 'SUCCEEDED', code: null };
const failed = (code: string): End => ({ status: 'FAILED', code });
const HALTED: End = { status: 'STOPPED', code: 'stopped_by_service' };
const CRASHED = failed('worker_crashed');

type Ending =
  | 'good'
  | 'no_newline'
  | 'torn'
  | 'error'
  | 'none'
  | 'two'
  | 'exit'
  | 'killed'
  | 'hang'
  | 'linger'
  | 'linger_counted';
const CHILDREN = ['holds', 'quiet', 'session', 'session_holds', 'deaf', 'deaf_session', 'forks'];
const RESULT_TEXT = '{"type":"result","subtype":"success","is_error":false,"result":"Done."}';

export function chaosPlan(seed: number): ChaosPlan {
  const chance = new Chance(seed);
  const ending = chance.pick<Ending>('ending', [
    ['good', 8],
    ['no_newline', 2],
    ['torn', 3],
    ['error', 2],
    ['none', 2],
    ['two', 2],
    ['exit', 2],
    ['killed', 1],
    ['hang', 2],
    ['linger', 2],
    ['linger_counted', 1],
  ]);
  const interference = chance.pick<Interference>('interference', [
    ['none', 14],
    ['halt', 3],
    ['halt_at_once', 1],
    ['worker_killed', 2],
  ]);
  const { steps: last, profile, end } = endOf(ending, chance);
  const noise = noiseOf(chance);
  const steps = [...deafness(chance), ...childrenOf(chance), ...noise, ...last];
  const never = ending === 'hang' || ending === 'linger' || ending === 'linger_counted';
  // What does not end by itself is surely met by who interferes.
  const isInTime = never && interference !== 'halt_at_once' && profile !== 'short';
  return {
    seed,
    profile,
    steps,
    interference,
    afterSteps: chance.integer('after', 1, Math.max(1, steps.length - (never ? 1 : 0))),
    ends: endsOf(interference, end, isInTime),
    what: `${ending}, ${interference}, ${steps.length} steps`,
  };
}

function endsOf(interference: Interference, end: End, isInTime: boolean): readonly End[] {
  if (interference === 'none') return [end];
  const cut = interference === 'worker_killed' ? CRASHED : HALTED;
  return isInTime && end.code === 'host_exec_timeout' ? [cut] : [cut, end];
}

function endOf(
  ending: Ending,
  chance: Chance,
): {
  readonly steps: readonly object[];
  readonly profile: ChaosPlan['profile'];
  readonly end: End;
} {
  const calm = (steps: readonly object[], end: End) => ({ steps, profile: 'calm', end }) as const;
  const late = { wait: chance.integer('late', 0, 250) };
  switch (ending) {
    case 'good':
      return calm([late, { result: true }], GOOD);
    case 'no_newline':
      return calm([late, { raw: RESULT_TEXT }], GOOD);
    case 'torn': {
      const pieces = chance.integer('pieces', 2, 9);
      return calm([late, { torn: { event: 'result', pieces, ms: 4 } }], GOOD);
    }
    case 'error':
      return calm([{ result: { is_error: true } }], failed('host_exec_reported_failure'));
    case 'none':
      return calm([late], failed('host_exec_no_result'));
    case 'two':
      return calm([{ result: true }, late, { result: true }], failed('host_exec_two_results'));
    case 'exit': {
      const code = chance.integer('code', 1, 120);
      return calm([{ result: true }, { exit: code }], failed('host_exec_exit_nonzero'));
    }
    case 'killed':
      return calm([{ result: true }, { kill: 'SIGKILL' }], failed('host_exec_killed'));
    case 'hang':
      return { steps: [{ hang: true }], profile: 'short', end: failed('host_exec_timeout') };
    case 'linger':
      return calm([{ result: true }, { hang: true }], failed('host_exec_lingered'));
    case 'linger_counted':
      return { steps: [{ result: true }, { hang: true }], profile: 'counted', end: GOOD };
  }
}

function deafness(chance: Chance): readonly object[] {
  return chance.happens('deaf', 0.2) ? [{ ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] }] : [];
}

function childrenOf(chance: Chance): readonly object[] {
  return CHILDREN.filter((kind) => chance.happens(`child ${kind}`, 0.15)).map((child) => ({
    child,
  }));
}

/** Begins with the event that ends a start, so that others may start. */
function noiseOf(chance: Chance): readonly object[] {
  const steps: object[] = [{ init: true }];
  if (chance.happens('lines', 0.5))
    steps.push({
      lines: { count: chance.integer('count', 1, 4_000), plain: chance.happens('plain', 0.3) },
    });
  if (chance.happens('giant', 0.25))
    steps.push({ giant: { bytes: chance.integer('bytes', 500_000, 6_000_000) } });
  if (chance.happens('stderr', 0.4))
    steps.push({ stderr: 'a warning that ends in nothing' }, { stderr: `\n${RESULT_TEXT}\n` });
  if (chance.happens('torn event', 0.3))
    steps.push({
      torn: {
        event: { type: 'assistant', message: { content: 'é'.repeat(300) } },
        pieces: 5,
        ms: 2,
      },
    });
  if (chance.happens('write', 0.5)) steps.push({ write: { path: 'made-here', text: 'x' } });
  if (chance.happens('tool', 0.4)) steps.push({ tool_started: true }, { tool_completed: true });
  if (chance.happens('unknown', 0.2)) steps.push({ event: { type: 'interaction_query', n: 1 } });
  return steps;
}
