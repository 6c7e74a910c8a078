/** What this page itself can do about a check that needs a person. Pure but for the acts it names. */
import type { CheckId, OverviewView } from '../../../main/contract/views.ts';
import { goOnline, takeBack } from '../../actions.ts';
import { words } from '../../words.ts';

export interface CheckAction {
  readonly text: string;
  readonly act: () => void;
}

/** Null where there is only something to do outside this page. */
export function checkAction(id: CheckId, overview: OverviewView | null): CheckAction | null {
  if (id !== 'live_connection' || overview === null) return null;
  const { intake, session } = overview;
  if (session.refusal === 'replaced') return { text: words.health.takeBack, act: takeBack };
  if (intake === 'offline') return { text: words.health.goOnline, act: goOnline };
  return session.kind === 'waiting' ? { text: words.health.tryNow, act: goOnline } : null;
}
