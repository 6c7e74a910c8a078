/** A state as shape, word and colour together: take away any one of them and it still reads. */
import type { JSX } from 'react';
import type { JobStateName } from '../../main/contract/views.ts';
import { words } from '../words.ts';
import { Glyph } from './icon.tsx';

/** The glyph, which also names the colour, of each state. */
export const STATE_GLYPHS: Readonly<Record<JobStateName, string>> = {
  accepted: 'waiting',
  starting: 'waiting',
  running: 'running',
  stopping: 'stopping',
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'failed',
  stopped: 'stopped',
  lost: 'lost',
};

export interface StatusProps {
  readonly glyph: string;
  readonly text: string;
  readonly size?: number;
}

export function Status({ glyph, text, size = 14 }: StatusProps): JSX.Element {
  return (
    <span className={`st st-${glyph}`}>
      <Glyph name={glyph} size={size} />
      <span className="trunc">{text}</span>
    </span>
  );
}

export function JobState({ state }: { readonly state: JobStateName }): JSX.Element {
  return <Status glyph={STATE_GLYPHS[state]} text={words.state(state)} />;
}
