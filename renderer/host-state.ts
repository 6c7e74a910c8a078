/** The runner's state as a glyph and words, the same in the side bar and the title. Pure. */
import type { OverviewView } from '../main/contract/views.ts';
import { words } from './words.ts';

export interface HostState {
  readonly glyph: 'online' | 'running' | 'paused' | 'offline' | 'waiting' | 'attention';
  readonly text: string;
}

/** First true wins: what a person must act on, then what was chosen, then what is going on. */
export function hostState(overview: OverviewView): HostState {
  const { session, intake, held, slots, localCommands } = overview;
  if (session.kind === 'refused') return { glyph: 'attention', text: words.hostState.attention };
  if (session.kind === 'signed_out') return { glyph: 'attention', text: words.hostState.signedOut };
  if (intake === 'paused') return { glyph: 'paused', text: pausedWords(overview) };
  if (intake === 'draining')
    return { glyph: 'paused', text: words.hostState.draining(held.length) };
  if (intake === 'offline' || session.kind === 'waiting' || session.kind === 'closed')
    return { glyph: 'offline', text: words.hostState.offline(session.sinceMs) };
  if (session.kind === 'dialling') return { glyph: 'waiting', text: words.hostState.connecting };
  const hasDocker = mayHaveDocker(overview);
  if (!hasDocker && localCommands === 0)
    return { glyph: 'attention', text: words.hostState.docker };
  if (intake === 'closed') return { glyph: 'attention', text: words.hostState.attention };
  if (held.length >= slots) return { glyph: 'running', text: words.hostState.full };
  if (!hasDocker) return { glyph: 'online', text: words.hostState.localOnly };
  const text = overview.jobsInAll === 0 ? words.hostState.idle : words.hostState.taking;
  return { glyph: 'online', text };
}

/** Short enough for the side bar; the sentence says the rest. */
export function pausedWords({ pause, held }: OverviewView): string {
  const { hostState: text } = words;
  if (pause?.when === 'after_jobs' && held.length > 0) return text.draining(held.length);
  if (pause?.untilMs != null) return text.pausedUntil(pause.untilMs);
  return pause?.onBattery === true ? text.pausedOnBattery : text.paused;
}

/** The cells of the rack: busy ones first; the others are closed while nothing is taken. */
export function rackCells(overview: OverviewView): readonly ('busy' | 'free' | 'closed')[] {
  const busy = Math.min(overview.held.length, overview.slots);
  const rest = takesJobs(overview) ? 'free' : 'closed';
  return Array.from({ length: overview.slots }, (_, index) => (index < busy ? 'busy' : rest));
}

export function rackWords(overview: OverviewView): string {
  const busy = overview.held.length;
  if (!takesJobs(overview)) return busy === 0 ? words.host.closed : restWords(overview);
  return busy === 0 ? words.host.allFree(overview.slots) : words.host.rack(busy, overview.slots);
}

function restWords({ held }: OverviewView): string {
  const waiting = held.filter(({ waitsForResume }) => waitsForResume).length;
  if (waiting === 0) return words.host.finishing(held.length);
  return words.host.notStarted(held.length - waiting, waiting);
}

/** Whether a free slot would be filled: asked for by the owner, and possible by Docker or, without it, by a local command. */
export function takesJobs(overview: OverviewView): boolean {
  return overview.intake === 'open' && (mayHaveDocker(overview) || overview.localCommands > 0);
}

function mayHaveDocker({ engine }: OverviewView): boolean {
  return engine.kind === 'ready' || engine.kind === 'looking';
}

/** What the one button and key do; null where neither would do anything: one cannot resume what is closing. */
export function pauseOrResume({ intake }: OverviewView): 'pause' | 'resume' | null {
  if (intake === 'open') return 'pause';
  return intake === 'paused' ? 'resume' : null;
}
