/** Which chunks of an append are new, and that they continue what is stored. Pure. */
import type { JobId } from '../../runner-core/model/ids.ts';
import type { LogChunk } from '../../runner-core/model/log-chunk.ts';
import { LogGapError } from './errors.ts';

/**
 * The chunks after `stored`. Throws LogGapError where one is missing, or where lines or batches do not
 * add up: stored so, every later number would be wrong.
 */
export function freshChunks(
  jobId: JobId,
  stored: { readonly chunks: number; readonly lines: number },
  chunks: readonly LogChunk[],
): readonly LogChunk[] {
  const fresh = chunks.filter((chunk) => chunk.seq > stored.chunks);
  let { chunks: seq, lines } = stored;
  for (const chunk of fresh) {
    seq += 1;
    const refuse = (problem: string): never => {
      throw new LogGapError({ jobId, seq: chunk.seq, problem });
    };
    if (chunk.seq !== seq) refuse(`chunk ${seq} was expected`);
    if (chunk.firstLine !== lines)
      refuse(`it starts at line ${chunk.firstLine}, and ${lines} are stored`);
    const sent = chunk.batches.reduce((sum, count) => sum + count, 0);
    if (sent !== chunk.lines) refuse(`its batches have ${sent} lines, and it has ${chunk.lines}`);
    if (chunk.records < chunk.lines || chunk.lines < 0 || chunk.batches.some((count) => count < 1))
      refuse('its counts make no sense');
    lines += chunk.lines;
  }
  return fresh;
}
