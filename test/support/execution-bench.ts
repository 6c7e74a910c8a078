/** A JobExecution over a FakeEngine, with a listener that notes and stores at once unless told otherwise. */
import type { RegistryLookup } from '../../runner-core/docker/registry-auth.ts';
import type {
  DockerLaunchSpec,
  RunnerOptions,
  TrustedOption,
} from '../../runner-core/model/job-spec.ts';
import type { StopCause } from '../../runner-core/model/outcome.ts';
import { containerEnvironment } from '../../runner-core/wire/launch.ts';
import { JobExecution } from '../../runner-core/worker/job-execution.ts';
import type { FromWorker, JobContext, ToWorker } from '../../runner-core/worker/protocol.ts';
import { RESULT_PREFIX } from '../../runner-core/wire/launch.ts';
import { dockerSpec, jobPayload } from './builders.ts';
import { envelopePayload } from './envelope.ts';
import { FakeClock, settle } from './fake-clock.ts';
import { FakeEngine } from './fake-engine.ts';

export interface ExecutionBenchOptions {
  readonly options?: Partial<RunnerOptions>;
  readonly spec?: Partial<DockerLaunchSpec>;
  readonly allowed?: readonly TrustedOption[];
  readonly timeLimitMs?: number;
  readonly workspacesDir?: string;
  readonly notes?: boolean;
  readonly stores?: boolean;
  /** False: the verdict stays without its `verdict_noted` until the test sends it. */
  readonly hears?: boolean;
}

export class ExecutionBench {
  readonly engine = new FakeEngine();
  readonly clock = new FakeClock();
  readonly sent: FromWorker[] = [];
  readonly complaints: string[] = [];
  readonly execution: JobExecution;
  readonly spec: DockerLaunchSpec;
  readonly #context: JobContext;
  credentials: RegistryLookup = { credentials: null, problem: null };

  constructor(given: ExecutionBenchOptions = {}) {
    const { options = {}, spec = {}, allowed = [], timeLimitMs = 0, notes = true } = given;
    const base = dockerSpec(1, spec);
    this.spec = { ...base, options: { ...base.options, ...options } };
    this.#context = {
      runnerId: 'runner-1',
      hostInstance: 'host-1',
      limits: { memoryBytes: null, cpus: null, pids: null, timeLimitMs, logBytes: 1_000_000 },
      allowed,
      engine: { kind: 'socket', path: '/var/run/docker.sock' },
      identity: null,
      workspacesDir: given.workspacesDir ?? '/nowhere',
    };
    this.execution = new JobExecution({
      clock: this.clock,
      credentialsFor: () => Promise.resolve(this.credentials),
      shortId: () => 'abc123',
      complain: (what) => this.complaints.push(what),
      openEngine: () => this.engine,
      send: (message) => {
        this.sent.push(message);
        if (notes && message.kind === 'made')
          this.send({ kind: 'noted', leftover: message.leftover });
        if (given.hears !== false && message.kind === 'ended') this.send({ kind: 'verdict_noted' });
        const last = message.kind === 'log' ? message.chunks.at(-1) : undefined;
        if (given.stores !== false && last !== undefined)
          this.send({ kind: 'log_stored', throughSeq: last.seq });
      },
    });
  }

  send(message: ToWorker): void {
    this.execution.receive(message);
  }

  run(mayBeMade = false): void {
    const environment = containerEnvironment(jobPayload(1), 'https://control.example.test');
    this.send({ kind: 'run', spec: this.spec, environment, context: this.#context, mayBeMade });
  }

  adopt(id: string, stopCause: StopCause | null = null): void {
    this.send({
      kind: 'adopt',
      spec: this.spec,
      container: { kind: 'container', id, name: 'preloop-1' },
      context: this.#context,
      cursor: null,
      nextSeq: 1,
      nextLine: 0,
      stopCause,
    });
  }

  stop(cause: StopCause = 'owner', graceMs = 10_000): void {
    this.send({ kind: 'stop', cause, graceMs });
  }

  /** Starts the job and lets it come to its container's start; the container's id. */
  async started(): Promise<string> {
    const waiting = this.engine.happened('wait');
    this.run();
    await waiting;
    await settle();
    return this.containerId();
  }

  containerId(): string {
    const id = [...this.engine.made.keys()].at(-1);
    if (id === undefined) throw new Error('no container was made');
    return id;
  }

  /** The container prints a report and exits with it. */
  report(result: object, exitCode = 0): void {
    const id = this.containerId();
    const payload = envelopePayload({ exit_code: exitCode, result });
    this.engine.print(id, `${RESULT_PREFIX}${payload}`);
    this.engine.exit(id, exitCode);
  }

  /** The ending, once it was sent. Moves the clock on where the log's last pass waits. */
  async ended(): Promise<Extract<FromWorker, { kind: 'ended' }>> {
    await this.execution.ended;
    const ended = this.sent.at(-1);
    if (ended?.kind !== 'ended') throw new Error('the last message is not the ending');
    return ended;
  }

  phases(): string[] {
    return this.sent.flatMap((message) => (message.kind === 'phase' ? [message.phase] : []));
  }
}

/** What was asked of the engine, without its arguments. */
export function callNames(bench: ExecutionBench): string[] {
  return bench.engine.calls.map((call) => call.split(' ')[0] ?? '');
}
