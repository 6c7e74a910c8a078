/** One host job in this process, with a listener that notes, grants and stores at once; the command is the double. */
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { decodeChunk } from '../../runner-core/log/chunk-codec.ts';
import type { HostProfile } from '../../runner-core/model/host-profile.ts';
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import type { LogRecord } from '../../runner-core/model/log-chunk.ts';
import type { StopCause } from '../../runner-core/model/outcome.ts';
import type { Leftover } from '../../runner-core/model/leftover.ts';
import type { Clock } from '../../runner-core/ports.ts';
import { processesWith } from '../../runner-core/process/process-table.ts';
import { newId, systemClock } from '../../runner-core/system.ts';
import { JobExecution } from '../../runner-core/worker/job-execution.ts';
import {
  parseFromWorker,
  type FromWorker,
  type ToWorker,
} from '../../runner-core/worker/protocol.ts';

export const DOUBLE = fileURLToPath(new URL('cursor-agent', import.meta.url));

export const PROFILE: HostProfile = {
  name: 'Cursor-Test',
  executable: DOUBLE,
  argv: [],
  workspaceRoot: null,
  timeoutSeconds: 60,
  forceWrites: false,
  modelMap: { 'house/fast': 'composer-2.5' },
  passEnv: [],
  trustWorkspace: true,
  lingerSeconds: 30,
  lingeredIsSuccess: false,
  stallSeconds: 0,
};

export interface HostJobOptions {
  /** A name or steps of the double. */
  readonly play?: string | readonly object[];
  readonly prompt?: string;
  readonly profile?: Partial<HostProfile>;
  readonly model?: string;
  readonly timeoutSeconds?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly logBytes?: number;
  readonly jobId?: JobId;
  /** False: chunks are not said to be stored until `store`. */
  readonly stores?: boolean;
  /** False: the turn to start comes only with `grant`. */
  readonly grants?: boolean;
  readonly clock?: Clock;
}

export interface Receipt {
  readonly what: string;
  readonly pid: number;
  readonly attempt: number;
  readonly [more: string]: unknown;
}

/** A folder for one test: workspaces, receipts and whatever else it needs. */
export async function hostFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'preloop-host-job-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export class HostJob {
  readonly messages: FromWorker[] = [];
  readonly jobId: JobId;
  readonly folder: string;
  readonly #execution: JobExecution;
  readonly #options: HostJobOptions;
  readonly #seen = new Set<() => void>();

  constructor(folder: string, options: HostJobOptions = {}) {
    this.folder = folder;
    this.#options = options;
    this.jobId = options.jobId ?? toJobId(newId()) ?? neverId();
    this.#execution = new JobExecution({
      clock: options.clock ?? systemClock,
      send: (message) => this.#heard(message),
      credentialsFor: () => Promise.reject(new Error('no image is pulled')),
      shortId: () => 'abcd1234',
      complain: (what) => void process.stderr.write(`${what}\n`),
    });
    // A test that failed half-way leaves nothing running.
    onTestFinished(() => this.abandon());
  }

  start(): this {
    this.#execution.receive(this.order());
    return this;
  }

  /** What a worker is told to do. */
  order(): ToWorker & { readonly kind: 'run_host' } {
    const { play = 'good', prompt, profile, model, timeoutSeconds, environment } = this.#options;
    const steps = typeof play === 'string' ? play : JSON.stringify(play);
    const { PATH = '', HOME = '' } = process.env;
    return {
      kind: 'run_host',
      spec: {
        kind: 'host_exec',
        jobId: this.jobId,
        flowId: null,
        flowName: null,
        repository: null,
        agentType: 'cursor',
        modelIdentifier: model ?? null,
        report: { kind: 'host_exec', profile: 'cursor-test' },
        profileName: 'cursor-test',
        timeoutSeconds: timeoutSeconds ?? null,
      },
      prompt: prompt ?? `play ${steps}`,
      context: {
        profile: { ...PROFILE, ...profile },
        environment: { PATH, HOME, CURSOR_AGENT_RECEIPTS: this.receiptsFile, ...environment },
        workspacesDir: join(this.folder, 'host-workspaces'),
        timeLimitMs: 0,
        logBytes: this.#options.logBytes ?? 2 ** 30,
      },
    };
  }

  stop(cause: StopCause = 'service', graceMs = 10_000): void {
    this.#execution.receive({ kind: 'stop', cause, graceMs });
  }

  grant(): void {
    this.#execution.receive({ kind: 'start_granted' });
  }

  abandon(): Promise<void> {
    return this.#execution.abandon();
  }

  /** Everything told so far is stored. */
  store(): void {
    const chunk = this.messages
      .flatMap((message) => (message.kind === 'log' ? message.chunks : []))
      .at(-1);
    if (chunk !== undefined) this.#execution.receive({ kind: 'log_stored', throughSeq: chunk.seq });
  }

  async ended(): Promise<Extract<FromWorker, { kind: 'ended' }>> {
    const message = await this.message('ended');
    await this.#execution.ended;
    return message;
  }

  message<K extends FromWorker['kind']>(
    kind: K,
    matches: (message: Extract<FromWorker, { kind: K }>) => boolean = () => true,
  ): Promise<Extract<FromWorker, { kind: K }>> {
    const isIt = (message: FromWorker): message is Extract<FromWorker, { kind: K }> =>
      message.kind === kind && matches(message as Extract<FromWorker, { kind: K }>);
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.messages.find(isIt);
        if (found === undefined) return;
        this.#seen.delete(look);
        resolve(found);
      };
      this.#seen.add(look);
      look();
    });
  }

  get receiptsFile(): string {
    return join(this.folder, 'receipts.jsonl');
  }

  /** Of this job alone. */
  async receipts(what?: string): Promise<readonly Receipt[]> {
    const text = await readFile(this.receiptsFile, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Receipt)
      .filter((each) => each['execution'] === this.jobId.toLowerCase())
      .filter((each) => what === undefined || each.what === what);
  }

  /** Resolves with the receipts once one matches. */
  async receipt(matches: (receipt: Receipt) => boolean): Promise<Receipt> {
    for (;;) {
      const found = (await this.receipts()).find(matches);
      if (found !== undefined) return found;
      await systemClock.wait(10);
    }
  }

  records(): readonly LogRecord[] {
    return this.messages.flatMap((message) =>
      message.kind === 'log' ? message.chunks.flatMap((chunk) => decodeChunk(chunk).records) : [],
    );
  }

  leftovers(): readonly Leftover[] {
    return this.messages.flatMap((message) => (message.kind === 'made' ? [message.leftover] : []));
  }

  /** Numbers of living processes that carry the job's id. */
  async survivors(): Promise<readonly number[]> {
    const found = await processesWith('PRELOOP_FLOW_EXECUTION_ID', this.jobId.toLowerCase());
    return found.map(({ pid }) => pid);
  }

  /** What is in the parent of the directories of jobs; none where there is no parent. */
  async directories(): Promise<readonly string[]> {
    const { profile } = this.#options;
    const root = profile?.workspaceRoot ?? join(this.folder, 'host-workspaces');
    return readdir(join(root, '.preloop-host-exec')).catch(() => []);
  }

  #heard(message: FromWorker): void {
    const parsed = parseFromWorker(message);
    if (parsed.kind === 'malformed') throw new Error(`the worker sent a bad ${parsed.field}`);
    this.messages.push(message);
    const receive = (answer: Parameters<JobExecution['receive']>[0]): void =>
      queueMicrotask(() => this.#execution.receive(answer));
    const { stores = true, grants = true } = this.#options;
    if (message.kind === 'made') receive({ kind: 'noted', leftover: message.leftover });
    if (message.kind === 'start_wanted' && grants) receive({ kind: 'start_granted' });
    if (message.kind === 'ended') receive({ kind: 'verdict_noted' });
    const last = message.kind === 'log' ? message.chunks.at(-1) : undefined;
    if (last !== undefined && stores) receive({ kind: 'log_stored', throughSeq: last.seq });
    for (const look of [...this.#seen]) look();
  }
}

function neverId(): never {
  throw new Error('an id of ours is no id');
}
