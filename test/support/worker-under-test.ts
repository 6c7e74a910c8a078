/** A real worker process, with a listener that notes and stores at once. Awaits messages, never sleeps. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { decodeChunk } from '../../runner-core/log/chunk-codec.ts';
import type { LogCursor } from '../../runner-core/model/log-chunk.ts';
import {
  parseFromWorker,
  type FromWorker,
  type ToWorker,
} from '../../runner-core/worker/protocol.ts';

const WORKER_MAIN = fileURLToPath(
  new URL('../../runner-core/worker/worker-main.ts', import.meta.url),
);

export type Ended = Extract<FromWorker, { kind: 'ended' }>;
type Kind = FromWorker['kind'];
type Of<K extends Kind> = Extract<FromWorker, { kind: K }>;

export interface WorkerUnderTestOptions {
  /** False: `made` stays without its `noted` until the test sends it. */
  readonly notes?: boolean;
  readonly stores?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export class WorkerUnderTest {
  readonly child: ChildProcess;
  readonly messages: FromWorker[] = [];
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  stderr = '';
  #wanted: {
    readonly matches: (message: FromWorker) => boolean;
    give(message: FromWorker): void;
  }[] = [];

  constructor({ notes = true, stores = true, env = {} }: WorkerUnderTestOptions = {}) {
    const { PATH = '', HOME = '' } = process.env;
    this.child = fork(WORKER_MAIN, [], {
      serialization: 'advanced',
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child.stderr?.on('data', (bytes: Buffer) => (this.stderr += bytes.toString()));
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    this.child.on('message', (value) => {
      const message = parseFromWorker(value);
      if (message.kind === 'malformed') throw new Error(`the worker sent a bad ${message.field}`);
      this.#take(message);
      if (notes && message.kind === 'made')
        this.send({ kind: 'noted', leftover: message.leftover });
      if (message.kind === 'ended') this.send({ kind: 'verdict_noted' });
      const last = message.kind === 'log' ? message.chunks.at(-1) : undefined;
      if (stores && last !== undefined) this.send({ kind: 'log_stored', throughSeq: last.seq });
    });
    onTestFinished(async () => {
      this.child.kill('SIGKILL');
      await this.exited;
    });
  }

  send(message: ToWorker): void {
    if (this.child.connected) this.child.send(message, () => undefined);
  }

  /** The first message of this kind that matches, past or to come. Rejects when the worker exits without. */
  message<K extends Kind>(
    kind: K,
    matches: (message: Of<K>) => boolean = () => true,
  ): Promise<Of<K>> {
    const isIt = (message: FromWorker): message is Of<K> =>
      message.kind === kind && matches(message as Of<K>);
    const seen = this.messages.find(isIt);
    if (seen !== undefined) return Promise.resolve(seen);
    return new Promise((resolve, reject) => {
      this.#wanted.push({ matches: isIt, give: (message) => resolve(message as Of<K>) });
      void this.exited.then(() => reject(new Error(`the worker exited first: ${this.stderr}`)));
    });
  }

  phase(phase: Of<'phase'>['phase']): Promise<Of<'phase'>> {
    return this.message('phase', (message) => message.phase === phase);
  }

  /** How the job ended, once the worker is gone and with it what it made. */
  async ended(): Promise<Ended> {
    const ended = await this.message('ended');
    await this.exited;
    return ended;
  }

  /** Resolves when a line that contains `text` has come. */
  line(text: string): Promise<unknown> {
    return this.message('log', () => this.lines().some((line) => line.includes(text)));
  }

  /** All lines so far, as they are stored. */
  lines(): string[] {
    return this.messages.flatMap((message) =>
      message.kind === 'log'
        ? message.chunks.flatMap((chunk) => decodeChunk(chunk).records.map(({ text }) => text))
        : [],
    );
  }

  phases(): string[] {
    return this.messages.flatMap((message) => (message.kind === 'phase' ? [message.phase] : []));
  }

  /** Where the log was read to, and the numbers the next chunk and line get. */
  position(): { cursor: LogCursor | null; nextSeq: number; nextLine: number } {
    const logs = this.messages.filter((message) => message.kind === 'log');
    const chunk = logs.flatMap(({ chunks }) => chunks).at(-1);
    return {
      cursor: logs.findLast(({ cursor }) => cursor !== null)?.cursor ?? null,
      nextSeq: (chunk?.seq ?? 0) + 1,
      nextLine: chunk === undefined ? 0 : chunk.firstLine + chunk.lines,
    };
  }

  #take(message: FromWorker): void {
    this.messages.push(message);
    const [given, rest] = [this.#wanted, this.#wanted].map((list, index) =>
      list.filter(({ matches }) => matches(message) === (index === 0)),
    );
    this.#wanted = rest ?? [];
    for (const wanted of given ?? []) wanted.give(message);
  }
}
