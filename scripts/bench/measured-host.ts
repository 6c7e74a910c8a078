/** A host process with the probe inside. */
import { once } from 'node:events';
import { rmSync, watch } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { startHostProcess, type HostProcess } from '../host-process.ts';

const PROBE = fileURLToPath(new URL('probe.mjs', import.meta.url));

const markSchema = z.object({
  rssBytes: z.number(),
  peakRssBytes: z.number(),
  p99Ms: z.number(),
  maxMs: z.number(),
  cpuMs: z.number(),
});
/** What the probe saw since the mark before: memory in bytes, event-loop delay in ms; processor time since the start. */
export type ProbeMark = z.infer<typeof markSchema>;

export interface MeasuredHost extends HostProcess {
  /** Reads the probe and starts its figures over. */
  mark(): Promise<ProbeMark>;
}

export async function startMeasuredHost(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<MeasuredHost> {
  const probeFile = join(tmpdir(), `preloop-probe-${process.pid}-${performance.now()}`);
  await writeFile(probeFile, '');
  // At the exit, so that an interrupted run leaves none behind either.
  process.once('exit', () => rmSync(probeFile, { force: true }));
  const host = await startHostProcess({
    args,
    nodeArgs: ['--import', PROBE],
    environment: { ...environment, BENCH_PROBE_FILE: probeFile },
  });
  return {
    ...host,
    mark: () => nextMark(host, probeFile),
  };
}

async function nextMark({ child }: HostProcess, probeFile: string): Promise<ProbeMark> {
  const before = await readFile(probeFile, 'utf8');
  const watcher = watch(probeFile);
  try {
    child.kill('SIGUSR2');
    for (;;) {
      const changed = once(watcher, 'change');
      const after = await readFile(probeFile, 'utf8');
      if (after.length > before.length && after.endsWith('\n')) {
        return markSchema.parse(JSON.parse(after.slice(before.length)));
      }
      await changed;
    }
  } finally {
    watcher.close();
  }
}
