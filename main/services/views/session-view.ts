/** The session with the service, for the page. Pure. */
import type { SessionView } from '../../contract/views.ts';
import { networkWords } from '../../../runner-core/model/network-problem.ts';
import type { SessionState } from '../../../runner-core/model/session-state.ts';

/** @param awaySinceMs when the session was last lost; a try to have it back does not start it anew */
export function sessionView(state: SessionState, awaySinceMs: number | null): SessionView {
  const { kind } = state;
  const isAway = kind === 'dialling' || kind === 'waiting';
  const sinceMs = isAway ? (awaySinceMs ?? state.sinceMs) : state.sinceMs;
  const blank = {
    kind,
    sinceMs,
    retryAtMs: null,
    attempt: 0,
    cause: null,
    remedy: null,
    refusal: null,
  };
  switch (state.kind) {
    case 'dialling':
      return { ...blank, attempt: state.attempt };
    case 'waiting': {
      const { retryAtMs, attempt, cause, problem } = state;
      const remedy = problem === undefined ? null : networkWords(problem).remedy;
      return { ...blank, retryAtMs, attempt, cause, remedy };
    }
    case 'refused':
      return { ...blank, refusal: state.refusal };
    case 'signed_out':
    case 'online':
    case 'closed':
      return blank;
  }
}
