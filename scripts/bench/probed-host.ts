/** A host process with a probe inside that writes what it saw, as a line of JSON, whenever it gets SIGUSR2. */
import { once } from 'node:events';
import { rmSync, watch } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as z from 'zod';
import { startHostProcess, type HostProcess, type HostProcessOptions } from '../host-process.ts';

export interface ProbedHost<Mark> extends HostProcess {
  /** Reads the probe and starts its figures over. */
  mark(): Promise<Mark>;
}

/** @param probe its file in this folder */
export async function startProbedHost<Mark>(
  probe: string,
  markSchema: z.ZodType<Mark>,
  options: HostProcessOptions = {},
): Promise<ProbedHost<Mark>> {
  const probeFile = join(tmpdir(), `preloop-probe-${process.pid}-${performance.now()}`);
  await writeFile(probeFile, '');
  // At the exit, so that an interrupted run leaves none behind either.
  process.once('exit', () => rmSync(probeFile, { force: true }));
  const host = await startHostProcess({
    ...options,
    nodeArgs: ['--import', fileURLToPath(new URL(probe, import.meta.url))],
    environment: { ...options.environment, BENCH_PROBE_FILE: probeFile },
  });
  return {
    ...host,
    mark: async () => markSchema.parse(JSON.parse(await nextLine(host, probeFile))),
  };
}

async function nextLine({ child }: HostProcess, probeFile: string): Promise<string> {
  const before = await readFile(probeFile, 'utf8');
  const watcher = watch(probeFile);
  try {
    child.kill('SIGUSR2');
    for (;;) {
      const changed = once(watcher, 'change');
      const after = await readFile(probeFile, 'utf8');
      if (after.length > before.length && after.endsWith('\n')) return after.slice(before.length);
      await changed;
    }
  } finally {
    watcher.close();
  }
}
