/** What the session with the service, or a dial without one, says of the live connection. Pure. */
import type { NetworkProblem } from '../../../runner-core/model/network-problem.ts';
import type { SessionState } from '../../../runner-core/model/session-state.ts';
import type { TakenBy } from '../take-over.ts';
import { asSentence, clockText } from '../views/plain-text.ts';
import { refusalSentence } from '../views/sentence.ts';
import { failed, fine, notApplicable, warning, type Finding } from './check.ts';
import { problemFinding } from './service-checks.ts';

export interface LiveInput {
  readonly session: SessionState;
  readonly name: string;
  /** Left out or null: not known yet. */
  readonly takenBy?: TakenBy | null;
  readonly enrolment: { readonly problem: string; readonly remedy: string } | null;
  readonly offlineSinceMs: number | null;
  /** Undefined: the machine's own. */
  readonly timeZone?: string | undefined;
}

export function sessionFinding(input: LiveInput): Finding {
  const { session, name, enrolment, offlineSinceMs, timeZone } = input;
  if (offlineSinceMs !== null)
    return notApplicable(`You went offline at ${clockText(offlineSinceMs, timeZone)}.`);
  switch (session.kind) {
    case 'online':
      return fine(`Open since ${clockText(session.sinceMs, timeZone)}.`);
    case 'waiting':
      return session.problem === undefined
        ? failed(
            asSentence(session.cause),
            'It is tried again on its own; check the network if it lasts.',
          )
        : problemFinding(session.problem);
    case 'refused': {
      const { state, consequence, remedy } = refusalSentence(session.refusal, name, input.takenBy);
      return failed(`${state} ${consequence}`, remedy === null ? null : `${remedy.label}.`);
    }
    case 'signed_out':
      return enrolment === null
        ? { state: 'unchecked', said: 'Connecting.', remedy: null }
        : failed(asSentence(enrolment.problem), asSentence(enrolment.remedy));
    case 'dialling':
      return session.attempt === 0
        ? { state: 'unchecked', said: 'Connecting.', remedy: null }
        : warning('Not connected; trying now.', null);
    case 'closed':
      return notApplicable('This host is closing.');
  }
}

/** Where no host runs that holds a session: whether the service opens a socket at all. */
export function dialFinding(problem: NetworkProblem | null): Finding {
  return problem === null
    ? fine('The service opens live connections; no host runs that holds one.')
    : problemFinding(problem);
}
