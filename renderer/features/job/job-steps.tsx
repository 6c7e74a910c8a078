/** The phases of a job in one line, each with how long it took; a click goes to its place in the log. */
import type { JSX } from 'react';
import type { JobView } from '../../../main/contract/views.ts';
import { Glyph } from '../../components/icon.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatClockSeconds, formatDuration, formatElapsed } from '../../format.ts';
import { jobWords } from '../../job-words.ts';

type Step = JobView['timeline'][number];

const GLYPHS: Readonly<Record<Step['state'], string>> = {
  done: 'succeeded',
  now: 'running',
  todo: 'next',
  failed: 'failed',
};

export interface JobStepsProps {
  readonly steps: readonly Step[];
  readonly onPhase: (atMs: number) => void;
}

export function JobSteps({ steps, onPhase }: JobStepsProps): JSX.Element {
  const nowMs = useNow();
  const reached = steps.findLastIndex(({ state }) => state !== 'todo');
  return (
    <ol className="steps" aria-label={jobWords.phases}>
      {steps.map((told, index) => {
        const step = index < reached && told.state === 'todo' ? passed(told) : told;
        const { atMs } = step;
        const content = (
          <>
            <span className={`st-${GLYPHS[step.state]}`}>
              <Glyph name={GLYPHS[step.state]} size={12} />
            </span>
            {step.name} <b>{timeOf(step, index === 0, nowMs)}</b>
            <span className="vh">{jobWords.stepStates[step.state]}</span>
          </>
        );
        return (
          <li
            key={`${index} ${step.name}`}
            className={step.state}
            aria-current={step.state === 'now' ? 'step' : undefined}
          >
            {atMs === null || step.state === 'todo' ? (
              <span className="step">{content}</span>
            ) : (
              <button type="button" className="step" onClick={() => onPhase(atMs)}>
                {content}
              </button>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** A worker tells of a phase and of its times not always at once; what lies before the present one is over. */
function passed(step: Step): Step {
  return { ...step, state: 'done' };
}

/** The first phase says when; the others how long, or when where they take no time. */
function timeOf(step: Step, isFirst: boolean, nowMs: number): string {
  if (step.atMs === null || step.state === 'todo') return '';
  if (isFirst) return formatClockSeconds(step.atMs);
  if (step.state === 'now') return formatElapsed(nowMs - step.atMs);
  return step.durationMs === null ? formatClockSeconds(step.atMs) : formatDuration(step.durationMs);
}
