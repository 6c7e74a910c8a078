/** Whether a command that ended before it told of itself is started once more, and how. Pure. */
import { isConfigRace } from '../host-exec/said.ts';
import type { HostRunEnd } from './host-run.ts';

export interface StartAgain {
  /** For the log. */
  readonly note: string;
  readonly withoutTrust: boolean;
}

/** Builds before trust was enforced refuse what they do not know. */
const UNKNOWN_TRUST = /unknown option[^\n]*--trust/i;

/** Null: no second start would help, or it may have done something already. */
export function startsAgain(end: HostRunEnd): StartAgain | null {
  const { ending, code, observed, stderrTail } = end;
  if (ending !== 'exited' || code === 0 || observed.events > 0) return null;
  if (isConfigRace(end))
    return {
      note: 'Cursor failed on its own configuration file while another was starting; it is started once more',
      withoutTrust: false,
    };
  if (UNKNOWN_TRUST.test(stderrTail))
    return {
      note: 'This build of Cursor does not know --trust; it is started once more without',
      withoutTrust: true,
    };
  return null;
}
