/**
 * The product at work, whole: a throw-away data folder, the embedded plane, the built host and one Docker
 * job on real work. Ends with 0 only when the job succeeded and every figure agrees.
 */
import Database from 'better-sqlite3';
import { execa } from 'execa';
import { join } from 'node:path';
import { PlaneClient } from '../main/cli/plane-client.ts';
import { followExecution } from './follow-execution.ts';
import { dataPaths } from '../main/data-dir.ts';
import { LABEL } from '../runner-core/docker/labels.ts';
import { systemClock } from '../runner-core/system.ts';
import { DEMO_SCRIPT } from './demo-script.ts';
import { startHostProcess } from './host-process.ts';
import * as z from 'zod';

const IMAGE = process.env['PRELOOP_TEST_IMAGE'] ?? 'preloop-runner-host-test:bookworm';
const asJson = process.argv.includes('--json');
const say = (line: string): void => void (asJson || process.stdout.write(`${line}\n`));

const jobRowSchema = z.object({
  acceptedAtMs: z.number(),
  startedAtMs: z.number(),
  lines: z.number(),
  verdict: z
    .string()
    .transform((text) =>
      z.object({ result: z.object({ lines_printed: z.number() }) }).parse(JSON.parse(text)),
    ),
});

interface Figures {
  readonly verdict: string;
  readonly lines_printed: number;
  readonly lines_stored: number;
  readonly lines_acknowledged: number;
  readonly leftovers: number;
  readonly dispatch_ms: number;
  readonly total_ms: number;
}

async function demo(): Promise<Figures> {
  const startedMs = performance.now();
  const host = await startHostProcess({ echo: (line) => say(`host │ ${line}`) });
  try {
    const paths = dataPaths(host.dataDir);
    const plane = await PlaneClient.of(paths.planeDir);
    const submittedAtMs = systemClock.nowMs();
    const { id } = await plane.submit({
      name: 'demo',
      agent_type: 'codex',
      image: IMAGE,
      script: DEMO_SCRIPT,
    });
    const ended = await followExecution(plane, id, systemClock, (line) => say(`job  │ ${line}`));
    if (ended.status !== 'SUCCEEDED') {
      throw new Error(`The job ended ${ended.status}: ${ended.error_message ?? 'no reason given'}`);
    }
    await host.line(new RegExp(`${id.slice(0, 8)} reported`));
    const job = hostRow(paths.database, id);
    return {
      verdict: ended.status,
      lines_printed: job.verdict.result.lines_printed,
      lines_stored: job.lines,
      lines_acknowledged: planeLines(join(paths.planeDir, 'plane.db'), id),
      leftovers: await leftoversOf(id),
      dispatch_ms: Math.round(job.startedAtMs - submittedAtMs),
      total_ms: Math.round(performance.now() - startedMs),
    };
  } finally {
    await host.stop();
  }
}

function hostRow(path: string, id: string): z.infer<typeof jobRowSchema> {
  return readRow(
    path,
    `SELECT accepted_at_ms AS acceptedAtMs, started_at_ms AS startedAtMs, lines, verdict
     FROM job JOIN job_log ON job_log.job = job.n WHERE job_id = ?`,
    id,
    jobRowSchema,
  );
}

/** Counted, not read from a counter: what the plane acknowledged is what its rows hold. */
function planeLines(path: string, id: string): number {
  const { lines } = readRow(
    path,
    `SELECT coalesce(sum(log_batch.lines), 0) AS lines
     FROM execution LEFT JOIN log_batch ON log_batch.execution_no = execution.no WHERE execution.id = ?`,
    id,
    z.object({ lines: z.number() }),
  );
  return lines;
}

function readRow<T>(path: string, sql: string, id: string, schema: z.ZodType<T>): T {
  const database = new Database(path, { readonly: true });
  try {
    return schema.parse(database.prepare(sql).get(id));
  } finally {
    database.close();
  }
}

async function leftoversOf(id: string): Promise<number> {
  const filter = ['--filter', `label=${LABEL.execution}=${id}`, '--quiet'];
  const kinds = [
    ['ps', '--all'],
    ['network', 'ls'],
    ['volume', 'ls'],
  ];
  const found = await Promise.all(kinds.map((kind) => execa('docker', [...kind, ...filter])));
  return found.flatMap(({ stdout }) => stdout.split('\n').filter((line) => line !== '')).length;
}

try {
  const figures = await demo();
  const agree =
    figures.lines_printed === figures.lines_stored &&
    figures.lines_stored === figures.lines_acknowledged &&
    figures.leftovers === 0;
  if (asJson) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else {
    say('');
    say(
      `${figures.verdict} in ${(figures.total_ms / 1000).toFixed(1)} s; the container was running ${figures.dispatch_ms} ms after the job was submitted.`,
    );
    say(
      `${figures.lines_printed} lines printed, ${figures.lines_stored} stored, ${figures.lines_acknowledged} acknowledged; ${figures.leftovers} things left behind.`,
    );
  }
  process.exitCode = agree ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
