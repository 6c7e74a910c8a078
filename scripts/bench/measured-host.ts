/** A host process that tells its peak memory, processor time and event-loop delay. */
import * as z from 'zod';
import { startProbedHost, type ProbedHost } from './probed-host.ts';

const markSchema = z.object({
  rssBytes: z.number(),
  peakRssBytes: z.number(),
  p99Ms: z.number(),
  maxMs: z.number(),
  cpuMs: z.number(),
});
/** What the probe saw since the mark before: memory in bytes, event-loop delay in ms; processor time since the start. */
type ProbeMark = z.infer<typeof markSchema>;

export type MeasuredHost = ProbedHost<ProbeMark>;

export function startMeasuredHost(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<MeasuredHost> {
  return startProbedHost('probe.mjs', markSchema, { args, environment });
}
