/** The log of one job as its executor sees it: a LogPipeline over the engine, what is masked, what is stored. */
import type { DockerEngine } from '../docker/docker-engine.ts';
import type { JsonObject } from '../model/json.ts';
import type { Clock } from '../ports.ts';
import type { AdoptOrder, RunOrder } from './executor.ts';
import { LogPipeline, type PipelineEnd } from './log-pipeline.ts';
import type { FromWorker } from './protocol.ts';
import { SecretMask, secretsOf } from './secret-mask.ts';

/** A listener that cannot store ends its jobs; this is for one that fell silent. */
const STORED_MS = 60_000;

export interface JobLog {
  /**
   * Reads the container's log to its end, which `exited` announces. Rejects when it cannot be read, or
   * with the rejection of `exited`.
   */
  follow(containerId: string, exited: Promise<unknown>): Promise<PipelineEnd>;
  /** The listener has stored all chunks up to this one. */
  stored(throughSeq: number): void;
  /** Values to mask from now on. */
  addSecrets(environment: Readonly<Record<string, string>>): void;
  maskText(text: string): string;
  maskJson(value: JsonObject): JsonObject;
  /** Resolves when the listener has stored all chunks, or gave no sign of it for a minute. */
  allStored(): Promise<void>;
}

export interface JobLogDeps {
  readonly order: RunOrder | AdoptOrder;
  readonly engine: DockerEngine;
  readonly clock: Clock;
  readonly send: (message: FromWorker) => void;
}

/** The log of the ordered job; nothing is read before `follow`. */
export function openJobLog(deps: JobLogDeps): JobLog {
  return new PipelinedJobLog(deps);
}

class PipelinedJobLog implements JobLog {
  readonly #deps: JobLogDeps;
  readonly #mask: SecretMask;
  #pipeline: LogPipeline | undefined;
  #sentSeq = 0;
  #storedSeq = 0;
  #onStored: (() => void) | undefined;

  constructor(deps: JobLogDeps) {
    this.#deps = deps;
    this.#mask = new SecretMask(deps.order.kind === 'run' ? secretsOf(deps.order.environment) : []);
  }

  follow(containerId: string, exited: Promise<unknown>): Promise<PipelineEnd> {
    const { order, engine, clock, send } = this.#deps;
    const from = order.kind === 'adopt' ? order : { cursor: null, nextSeq: 1, nextLine: 0 };
    this.#pipeline = new LogPipeline({
      clock,
      containerId,
      source: {
        open: (id, since, signal, tail) =>
          engine.logStream(id, { since, ...(tail === undefined ? {} : { tail }) }, signal),
      },
      cursor: from.cursor,
      nextSeq: from.nextSeq,
      nextLine: from.nextLine,
      mask: this.#mask,
      maxLogBytes: order.context.limits.logBytes,
      emit: (message) => {
        this.#sentSeq = message.chunks.at(-1)?.seq ?? this.#sentSeq;
        send(message);
      },
    });
    // Nothing ends the reading but the log's own end: without a listener the whole process ends.
    return this.#pipeline.run(exited, new AbortController().signal);
  }

  stored(throughSeq: number): void {
    this.#storedSeq = Math.max(this.#storedSeq, throughSeq);
    this.#pipeline?.logStored(throughSeq);
    this.#onStored?.();
  }

  addSecrets(environment: Readonly<Record<string, string>>): void {
    this.#mask.add(secretsOf(environment));
  }

  maskText(text: string): string {
    return this.#mask.maskText(text);
  }

  maskJson(value: JsonObject): JsonObject {
    return this.#mask.maskJson(value);
  }

  async allStored(): Promise<void> {
    while (this.#storedSeq < this.#sentSeq) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      this.#onStored = () => resolve(true);
      const limit = this.#deps.clock.after(STORED_MS, () => resolve(false));
      const isHeard = await promise;
      limit.cancel();
      if (!isHeard) return;
    }
  }
}
