/**
 * Where host jobs are run whole: the built host with the embedded plane in a folder of its own, a profile file, and the
 * stand-in for Cursor with its receipts. Owns the folder and all that lives in it.
 */
import Database from 'better-sqlite3';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { HostClient } from '../../main/cli/host-client.ts';
import { PlaneClient, type PlaneExecution } from '../../main/cli/plane-client.ts';
import { dataPaths } from '../../main/data-dir.ts';
import { processesWith } from '../../runner-core/process/process-table.ts';
import { systemClock } from '../../runner-core/system.ts';
import { startHostProcess, type HostProcess } from '../host-process.ts';

export const DOUBLE = fileURLToPath(new URL('../../test/support/cursor-agent', import.meta.url));
const POLL_MS = 50;
const OVER = new Set(['SUCCEEDED', 'FAILED', 'STOPPED', 'CANCELLED', 'TIMEOUT', 'ABORTED']);
const PARENT = '.preloop-host-exec';

const receiptSchema = z.looseObject({
  what: z.string(),
  execution: z.string().nullable(),
  attempt: z.number(),
  pid: z.number(),
  cwd: z.string().optional(),
  step: z.string().optional(),
});
export type Receipt = z.infer<typeof receiptSchema>;

export interface StoredEnd {
  readonly status: string;
  readonly code: string | null;
  /** Null: not over. */
  readonly endedAtMs: number | null;
}

const hostRowSchema = z.object({
  verdict: z.string().nullable(),
  ended_at_ms: z.number().nullable(),
});
const verdictSchema = z.object({
  status: z.string(),
  reason: z.object({ code: z.string() }).nullable(),
});

export type ProfileEntry = Readonly<Record<string, unknown>>;

export interface GroundOptions {
  readonly profiles: readonly ProfileEntry[];
  readonly concurrency: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly echo?: (line: string) => void;
}

export class HostExecGround {
  readonly folder: string;
  readonly #options: GroundOptions;
  #host: HostProcess | null = null;
  #plane: PlaneClient | null = null;

  private constructor(folder: string, options: GroundOptions) {
    this.folder = folder;
    this.#options = options;
  }

  static async open(options: GroundOptions): Promise<HostExecGround> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'preloop-host-exec-')));
    const ground = new HostExecGround(folder, options);
    try {
      await mkdir(ground.dataDir, { mode: 0o700 });
      await ground.writeProfiles(options.profiles);
      await ground.start();
      for (const { name } of options.profiles) await ground.turnOn(String(name));
      return ground;
    } catch (error) {
      await ground.close();
      throw error;
    }
  }

  get dataDir(): string {
    return join(this.folder, 'data');
  }

  /** Where profiles without a root have their directories. */
  get workspaces(): string {
    return dataPaths(this.dataDir).hostWorkspacesDir;
  }

  get host(): HostProcess {
    if (this.#host === null) throw new Error('no host runs');
    return this.#host;
  }

  async start(): Promise<void> {
    const { concurrency, environment, echo } = this.#options;
    this.#host = await startHostProcess({
      dataDir: this.dataDir,
      args: ['--concurrency', String(concurrency)],
      environment: {
        ...environment,
        PRELOOP_RUNNER_HOST_PROFILES: this.#profileFile,
        CURSOR_AGENT_RECEIPTS: this.#receiptsFile,
      },
      ...(echo === undefined ? {} : { echo }),
    });
    this.#plane = await PlaneClient.of(dataPaths(this.dataDir).planeDir);
  }

  async writeProfiles(profiles: readonly ProfileEntry[]): Promise<void> {
    await writeFile(this.#profileFile, JSON.stringify({ profiles }), { mode: 0o600 });
  }

  async turnOn(name: string): Promise<void> {
    const client = await HostClient.connect(this.dataDir);
    try {
      await client.request('profiles.turn', { name, on: true });
    } finally {
      client.close();
    }
  }

  async submit(definition: Readonly<Record<string, unknown>>): Promise<string> {
    const { id } = await this.#service.submit({ name: 'host job', ...definition });
    return id;
  }

  async stopJob(id: string): Promise<void> {
    await this.#service.stop(id);
  }

  /** Resolves when the service has its end; null when it has not within the limit. */
  async ended(id: string, limitMs = 60_000): Promise<PlaneExecution | null> {
    const untilMs = systemClock.monotonicMs() + limitMs;
    for (;;) {
      const execution = await this.#service.execution(id).catch(() => null);
      if (execution !== null && OVER.has(execution.status)) return execution;
      if (systemClock.monotonicMs() >= untilMs) return null;
      await systemClock.wait(POLL_MS);
    }
  }

  async lines(id: string): Promise<readonly string[]> {
    return (await this.#service.logs(id, 0)).lines;
  }

  /** What the host itself stored of a job's end, once it has; null for a job that never came here. */
  async stored(id: string, limitMs: number): Promise<StoredEnd | null> {
    const untilMs = systemClock.monotonicMs() + limitMs;
    for (;;) {
      const found = this.#storedNow(id);
      if (found !== 'not over' || systemClock.monotonicMs() >= untilMs)
        return found === 'not over' ? { status: 'NOT OVER', code: null, endedAtMs: null } : found;
      await systemClock.wait(POLL_MS);
    }
  }

  #storedNow(id: string): StoredEnd | 'not over' | null {
    const database = new Database(dataPaths(this.dataDir).database, { readonly: true });
    try {
      const row = database.prepare('SELECT verdict, ended_at_ms FROM job WHERE job_id = ?').get(id);
      if (row === undefined) return null;
      const { verdict, ended_at_ms: endedAtMs } = hostRowSchema.parse(row);
      // What the worker told stands there before the end; a halt in between still changes it.
      if (verdict === null || endedAtMs === null) return 'not over';
      const { status, reason } = verdictSchema.parse(JSON.parse(verdict));
      return { status, code: reason?.code ?? null, endedAtMs };
    } finally {
      database.close();
    }
  }

  /** The protocol a job was leased with and is told by. */
  leasedProtocol(id: string): string {
    const database = new Database(dataPaths(this.dataDir).database, { readonly: true });
    try {
      const row = database.prepare('SELECT spec FROM job WHERE job_id = ?').get(id);
      const { spec } = z.object({ spec: z.string() }).parse(row);
      return z.object({ report: z.object({ kind: z.string() }) }).parse(JSON.parse(spec)).report
        .kind;
    } finally {
      database.close();
    }
  }

  /** What the doubles did, oldest first. */
  async receipts(id?: string): Promise<readonly Receipt[]> {
    const text = await readFile(this.#receiptsFile, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => receiptSchema.parse(JSON.parse(line)))
      .filter((receipt) => id === undefined || receipt.execution === id.toLowerCase());
  }

  /** Resolves true when a receipt of this job matches, false when none did within the limit. */
  async saw(id: string, matches: (receipt: Receipt) => boolean, limitMs: number): Promise<boolean> {
    const untilMs = systemClock.monotonicMs() + limitMs;
    while (!(await this.receipts(id)).some(matches)) {
      if (systemClock.monotonicMs() >= untilMs) return false;
      await systemClock.wait(POLL_MS);
    }
    return true;
  }

  /** Living processes of these jobs. */
  async survivors(ids: readonly string[]): Promise<number> {
    const found = await Promise.all(
      ids.map((id) => processesWith('PRELOOP_FLOW_EXECUTION_ID', id.toLowerCase())),
    );
    return found.flat().length;
  }

  /** Directories that no started command explains. */
  async leakedDirectories(root = this.workspaces): Promise<readonly string[]> {
    const names = await readdir(join(root, PARENT)).catch(() => []);
    const started = new Set((await this.receipts()).map(({ execution }) => execution));
    return names.filter((name) => !started.has(name));
  }

  /** What the host still has noted of jobs that are over. */
  notedLeftovers(): number {
    const database = new Database(dataPaths(this.dataDir).database, { readonly: true });
    try {
      const row = database
        .prepare(
          `SELECT count(*) AS n FROM leftover JOIN job ON job.n = leftover.job
           WHERE job.state IN ('reporting', 'settled')`,
        )
        .get();
      return z.object({ n: z.number() }).parse(row).n;
    } finally {
      database.close();
    }
  }

  async stopHost(): Promise<void> {
    await this.#host?.stop();
    this.#host = null;
  }

  async close(): Promise<void> {
    await this.stopHost();
    await rm(this.folder, { recursive: true, force: true });
  }

  get #profileFile(): string {
    return join(this.folder, 'profiles.json');
  }

  get #receiptsFile(): string {
    return join(this.folder, 'receipts.jsonl');
  }

  get #service(): PlaneClient {
    if (this.#plane === null) throw new Error('no plane was started');
    return this.#plane;
  }
}
