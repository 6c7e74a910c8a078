/**
 * One job in a worker: routes the listener's messages to whom they are for, runs the executor, sends the
 * ending. A worker carries out exactly one.
 */
import { dockerEngine } from '../docker/dockerode-engine.ts';
import type { DockerEngine } from '../docker/docker-engine.ts';
import type { RegistryLookup } from '../docker/registry-auth.ts';
import type { EngineIdentity, Leftover } from '../model/leftover.ts';
import type { Clock } from '../ports.ts';
import { lostVerdict } from '../wire/result-report.ts';
import { DockerLaunchExecutor } from './docker-launch-executor.ts';
import type { AdoptOrder, Ending, Executor, HostOrder, JobReport, RunOrder } from './executor.ts';
import { HostExecExecutor } from './host-exec-executor.ts';
import { openJobLog, type JobLog } from './job-log.ts';
import {
  NO_FACTS,
  type EngineAddress,
  type FromWorker,
  type Phase,
  type PhaseStart,
  type RunFacts,
  type ToWorker,
} from './protocol.ts';
import { StopSwitch } from './stop-switch.ts';

/** How long the listener may take to store a leftover, or the verdict. */
const NOTED_MS = 10_000;
/** Beside the names of leftovers, which start with their kind. */
const THE_VERDICT = 'verdict';

export interface JobExecutionDeps {
  readonly clock: Clock;
  readonly send: (message: FromWorker) => void;
  readonly credentialsFor: (image: string) => Promise<RegistryLookup>;
  readonly shortId: () => string;
  /** For a person reading the worker's stderr; never given text of the job. */
  readonly complain: (what: string) => void;
  readonly openEngine?: (address: EngineAddress, clock: Clock) => DockerEngine;
}

export class JobExecution {
  readonly #deps: JobExecutionDeps;
  readonly #stop = new StopSwitch();
  readonly #ended = Promise.withResolvers<undefined>();
  /** Leftovers, and the verdict, told and not yet noted. */
  readonly #unnoted = new Map<string, () => void>();
  readonly #phases: PhaseStart[] = [];
  /** The one order there is has come. */
  #isOrdered = false;
  #log: Pick<JobLog, 'stored' | 'addSecrets'> | undefined;
  #host: HostExecExecutor | undefined;
  #granted: (() => void) | undefined;
  #keepsContainer = false;

  constructor(deps: JobExecutionDeps) {
    this.#deps = deps;
  }

  /** Resolves when `ended` has been sent and what the job made is gone, or left to the listener. Never rejects. */
  get ended(): Promise<undefined> {
    return this.#ended.promise;
  }

  receive(message: ToWorker): void {
    switch (message.kind) {
      case 'run':
      case 'adopt':
      case 'run_host':
        if (this.#isOrdered) return;
        this.#isOrdered = true;
        void (message.kind === 'run_host' ? this.#runHost(message) : this.#carryOut(message));
        return;
      case 'start_granted':
        this.#granted?.();
        return;
      case 'noted':
        this.#unnoted.get(nameOf(message.leftover))?.();
        return;
      case 'log_stored':
        this.#log?.stored(message.throughSeq);
        return;
      case 'verdict_noted':
        this.#keepsContainer = message.keepContainer === true;
        this.#unnoted.get(THE_VERDICT)?.();
        return;
      case 'secrets':
        this.#log?.addSecrets(message.environment);
        return;
      case 'stop':
        this.#stop.stop({ cause: message.cause, graceMs: message.graceMs });
        return;
    }
  }

  /** Something of ours broke: the job is lost, and says so. */
  crashed(error: unknown): void {
    this.#deps.complain(secretFree(error));
    const facts = this.#withPhases(NO_FACTS);
    this.#deps.send({ kind: 'ended', verdict: lostVerdict('worker_crashed'), facts });
    this.#ended.resolve(undefined);
  }

  /** Nobody is left to report to. Resolves when nothing is left that only we can end. */
  async abandon(): Promise<void> {
    await this.#host?.abandon();
  }

  async #runHost(order: HostOrder): Promise<void> {
    const { clock, send } = this.#deps;
    try {
      const report = this.#report(null);
      const host = new HostExecExecutor({ clock, send, stop: this.#stop, report }, order);
      this.#host = host;
      this.#log = host;
      await this.#tell(await host.run(), host);
      this.#ended.resolve(undefined);
    } catch (error) {
      this.crashed(error);
    }
  }

  async #carryOut(order: RunOrder | AdoptOrder): Promise<void> {
    const { clock, send, openEngine = dockerEngine } = this.#deps;
    const engine = openEngine(order.context.engine, clock);
    try {
      const log = openJobLog({ order, engine, clock, send });
      this.#log = log;
      const executor = new DockerLaunchExecutor({
        ...this.#deps,
        engine,
        log,
        stop: this.#stop,
        report: this.#report(order.context.identity),
      });
      const ending: Ending =
        order.kind === 'run' ? await executor.run(order) : await executor.adopt(order);
      await this.#tell(ending, executor);
      this.#ended.resolve(undefined);
    } catch (error) {
      this.crashed(error);
    } finally {
      engine.close();
    }
  }

  /**
   * Until the verdict is on disk the container stays: a host that dies now finds it, and judges again. A
   * listener that does not answer removes what was made itself.
   */
  async #tell(ending: Ending, executor: Pick<Executor, 'clear'>): Promise<void> {
    const noted = this.#noted(THE_VERDICT);
    this.#deps.send({
      kind: 'ended',
      verdict: ending.verdict,
      facts: this.#withPhases(ending.facts),
    });
    const isNoted = await noted.then(
      () => true,
      () => false,
    );
    if (isNoted) await executor.clear(this.#keepsContainer);
  }

  #report(engine: EngineIdentity | null): JobReport {
    const { send } = this.#deps;
    return {
      phase: (phase, progress = null) => {
        this.#begins(phase);
        send({ kind: 'phase', phase, progress });
      },
      facts: (facts) => send({ kind: 'facts', facts: this.#withPhases(facts) }),
      engineMissed: () => send({ kind: 'engine_missed' }),
      made: (made) => {
        const leftover = engine === null || made.kind === 'process' ? made : { ...made, engine };
        const noted = this.#noted(nameOf(leftover));
        send({ kind: 'made', leftover });
        return noted;
      },
      turnToStart: () =>
        new Promise((resolve) => {
          let isOver = false;
          this.#granted = () =>
            resolve(() => {
              if (!isOver) send({ kind: 'start_over' });
              isOver = true;
            });
          send({ kind: 'start_wanted' });
        }),
    };
  }

  /** A phase is told again with each step of its progress; it begins once. */
  #begins(phase: Phase): void {
    if (this.#phases.at(-1)?.phase === phase) return;
    this.#phases.push({ phase, atMs: this.#deps.clock.nowMs() });
  }

  #withPhases(facts: RunFacts): RunFacts {
    return { ...facts, phases: [...this.#phases] };
  }

  #noted(key: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const limit = this.#deps.clock.after(NOTED_MS, () => {
      reject(new Error('the listener did not note what it was told within 10 s'));
    });
    this.#unnoted.set(key, () => {
      this.#unnoted.delete(key);
      limit.cancel();
      resolve(undefined);
    });
    return promise;
  }
}

function nameOf(leftover: Leftover): string {
  const part = leftover.kind === 'process' ? ` ${leftover.pid ?? 'to come'}` : '';
  return `${leftover.kind} ${leftover.name}${part}`;
}

/** Kind, code and place of an error. Not its message: that may quote what it was given. */
export function secretFree(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error was thrown';
  const code = (error as NodeJS.ErrnoException).code;
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [`${error.name}${typeof code === 'string' ? ` ${code}` : ''}`, ...places].join('\n');
}
