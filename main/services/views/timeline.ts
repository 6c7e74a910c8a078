/** A job's way through this machine, step by step. Pure. */
import type { JobView } from '../../contract/views.ts';
import type { OutcomeKind } from '../../../runner-core/model/outcome.ts';
import type { ReasonCode } from '../../../runner-core/model/reason.ts';
import type { Phase, PhaseStart } from '../../../runner-core/worker/protocol.ts';

type Step = JobView['timeline'][number];
type StepName = 'Accepted' | 'Image' | 'Start' | 'Run' | 'Result';

export interface TimelineFacts {
  readonly acceptedAtMs: number;
  /** When the container ran. */
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly settledAtMs: number | null;
  /** What the worker told; empty for jobs of version 0.1, or while it has not. */
  readonly phases: readonly PhaseStart[];
  /** Of a held job. */
  readonly phase: Phase | null;
  readonly outcome: OutcomeKind | null;
  readonly reason: ReasonCode | null;
}

const STEPS: readonly StepName[] = ['Accepted', 'Image', 'Start', 'Run', 'Result'];
const STEP_OF: Readonly<Record<Exclude<Phase, 'cleaning'>, StepName>> = {
  preparing: 'Image',
  pulling: 'Image',
  creating: 'Start',
  starting: 'Start',
  running: 'Run',
  collecting: 'Result',
};

/** The steps, in order. An ended job has only those it reached; its reporting is the last one. */
export function timeline(facts: TimelineFacts): readonly Step[] {
  const began = beginnings(facts);
  const isOver = facts.endedAtMs !== null;
  const reached = STEPS.filter((name) => began.has(name));
  const failing = failedStep(facts, reached);
  const now = isOver ? null : currentStep(facts, reached);
  const shown = isOver ? reached : STEPS;
  const steps = shown.map((name): Step => {
    const atMs = began.get(name) ?? null;
    const next = reached.slice(reached.indexOf(name) + 1)[0];
    const untilMs = (next === undefined ? undefined : began.get(next)) ?? facts.endedAtMs;
    const state =
      name === failing ? 'failed' : name === now ? 'now' : atMs === null ? 'todo' : 'done';
    const durationMs = atMs === null || untilMs === null ? null : Math.max(0, untilMs - atMs);
    return { name, atMs, durationMs: state === 'now' ? null : durationMs, state };
  });
  return [...steps, reportStep(facts)];
}

function beginnings(facts: TimelineFacts): ReadonlyMap<StepName, number> {
  const began = new Map<StepName, number>([['Accepted', facts.acceptedAtMs]]);
  for (const { phase, atMs } of facts.phases) {
    if (phase === 'cleaning') continue;
    const step = STEP_OF[phase];
    if (!began.has(step)) began.set(step, atMs);
  }
  // A worker that took a running container over tells of its own time only.
  const { startedAtMs } = facts;
  if (startedAtMs !== null && startedAtMs < (began.get('Run') ?? Infinity))
    began.set('Run', startedAtMs);
  return began;
}

/** By the phase the worker is in, which may be ahead of what it told of the times. */
function currentStep({ phase }: TimelineFacts, reached: readonly StepName[]): StepName {
  if (phase === 'cleaning') return 'Result';
  const told = phase === null ? undefined : STEP_OF[phase];
  return told ?? reached.at(-1) ?? 'Accepted';
}

/** Where it went wrong: in judging the result, or in the last step before that. */
function failedStep(
  { outcome, reason }: TimelineFacts,
  reached: readonly StepName[],
): StepName | null {
  if (outcome === null || outcome === 'succeeded' || outcome === 'stopped') return null;
  const ofResult = reason === 'no_report' || reason?.startsWith('report_') === true;
  if (ofResult && reached.includes('Result')) return 'Result';
  return reached.filter((name) => name !== 'Result').at(-1) ?? null;
}

function reportStep({ endedAtMs, settledAtMs }: TimelineFacts): Step {
  const name = 'Reported';
  if (endedAtMs === null) return { name, atMs: null, durationMs: null, state: 'todo' };
  if (settledAtMs === null) return { name, atMs: endedAtMs, durationMs: null, state: 'now' };
  const durationMs = Math.max(0, settledAtMs - endedAtMs);
  return { name, atMs: settledAtMs, durationMs, state: 'done' };
}
