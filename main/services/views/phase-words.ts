/** What a held job is doing, in words. Pure. */
import type { HeldJob } from '../../../runner-core/listener/listener.ts';
import type { Phase } from '../../../runner-core/worker/protocol.ts';

const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  preparing: 'Preparing',
  pulling: 'Getting the image',
  creating: 'Creating the container',
  starting: 'Starting',
  running: 'Running',
  collecting: 'Collecting the result',
  cleaning: 'Cleaning up',
};

/** Null before anything is known. */
export function phaseWords({ job, stage, phase }: HeldJob, waitsForResume = false): string | null {
  if (waitsForResume) return 'Waiting until you resume';
  if (stage === 'awaiting_redelivery') return 'Waiting for Preloop to send it again';
  if (stage === 'awaiting_engine') return 'Waiting for Docker';
  if (stage === 'concluding') return PHASE_WORDS.cleaning;
  if (job.state.kind === 'stopping' && phase !== 'cleaning') return 'Stopping';
  return phase === null ? null : PHASE_WORDS[phase];
}
