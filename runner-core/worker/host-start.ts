/** Whether a command that failed while it started is started once more, and how. Pure. */
import { isConfigRace } from '../host-exec/said.ts';
import type { HostRunEnd } from './host-run.ts';

/** A start is over once the command tells of itself, or after this. */
export const START_WINDOW_MS = 5_000;

export interface StartAgain {
  /** For the log. */
  readonly note: string;
  readonly withoutTrust: boolean;
}

/** Builds before trust was enforced refuse what they do not know, before they do anything. */
const UNKNOWN_TRUST = /^\W*(?:error\W+)?unknown option[^\n]*--trust/im;
const FORMAT = '--output-format';

/**
 * Null: no second start would help, or the first may have done something already.
 *
 * @param argv of the profile
 */
export function startsAgain(end: HostRunEnd, argv: readonly string[]): StartAgain | null {
  const { ending, code, observed, stderrTail, ranMs } = end;
  if (ending !== 'exited' || code === 0 || ranMs > START_WINDOW_MS) return null;
  if (observed.sawInit || observed.events > 0) return null;
  if (isConfigRace(end) && tellsItsBeginning(argv))
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

/** In other formats nothing is told before the end, so a run that worked looks like one that never began. */
function tellsItsBeginning(argv: readonly string[]): boolean {
  return argv.every((argument, at) => {
    if (argument === FORMAT) return argv[at + 1] === 'stream-json';
    return !argument.startsWith(`${FORMAT}=`) || argument === `${FORMAT}=stream-json`;
  });
}
