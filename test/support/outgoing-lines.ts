/** Batches with their lines as strings, however a store keeps them. */
import type { OutgoingBatch } from '../../runner-core/ports.ts';
import type { LogsFrame } from '../../runner-core/wire/frames.ts';

export function linesOf(lines: LogsFrame['lines']): readonly string[] {
  return 'toArray' in lines ? lines.toArray() : lines;
}

export function plainBatches(
  batches: readonly OutgoingBatch[],
): { index: number; lines: readonly string[] }[] {
  return batches.map(({ index, lines }) => ({ index, lines: linesOf(lines) }));
}
