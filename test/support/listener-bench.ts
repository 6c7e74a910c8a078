/** A Listener with every port played by a double; the store may outlive it, as a disk does. */
import { Listener, type ListenerDeps, type StopHow } from '../../runner-core/listener/listener.ts';
import type { JobId } from '../../runner-core/model/ids.ts';
import type { JobStateKind } from '../../runner-core/model/job-machine.ts';
import type { Leftover } from '../../runner-core/model/leftover.ts';
import type {
  LabelledContainer,
  LabelledThing,
  LeftoverRemover,
  Log,
  LogFields,
  RandomSource,
} from '../../runner-core/ports.ts';
import { IDENTITY, jobIdOf } from './builders.ts';
import { SERVER_URL } from './docker-job.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeControlPlane } from './fake-control-plane.ts';
import { FakeLauncher } from './fake-worker.ts';
import { MemoryJobStore } from './memory-job-store.ts';

/** Chance that a test chooses; 0.5 means no drift of heartbeats and half of the longest delay. */
export class FixedRandom implements RandomSource {
  value = 0.5;
  fraction(): number {
    return this.value;
  }
}

export interface LogEntry {
  readonly level: keyof Log;
  readonly event: string;
  readonly fields: LogFields;
}

export class RecordingLog implements Log {
  readonly entries: LogEntry[] = [];
  debug = this.#at('debug');
  info = this.#at('info');
  warn = this.#at('warn');
  error = this.#at('error');

  of(event: string): LogFields[] {
    return this.entries.filter((entry) => entry.event === event).map((entry) => entry.fields);
  }

  #at(level: keyof Log): (event: string, fields?: LogFields) => void {
    return (event, fields = {}) => void this.entries.push({ level, event, fields });
  }
}

export class RecordingRemover implements LeftoverRemover {
  readonly removed: Leftover[] = [];
  containers: (LabelledContainer | LabelledThing)[] = [];
  /** Called with each removal that succeeds. */
  onRemove: (leftover: Leftover) => void = () => undefined;
  /** Away: removals are refused. Stuck: they never answer. */
  engine: 'there' | 'away' | 'stuck' = 'there';

  remove(leftover: Leftover): Promise<void> {
    if (this.engine === 'stuck') return new Promise(() => undefined);
    if (this.engine === 'away') return Promise.reject(new Error('engine away'));
    this.removed.push(leftover);
    this.onRemove(leftover);
    return Promise.resolve();
  }

  labelled(): Promise<readonly (LabelledContainer | LabelledThing)[]> {
    if (this.engine === 'stuck') return new Promise(() => undefined);
    if (this.engine === 'away') return Promise.reject(new Error('engine away'));
    return Promise.resolve(this.containers);
  }
}

export const ENGINE = { kind: 'socket', path: '/var/run/docker.sock' } as const;
const LIMITS = {
  memoryBytes: null,
  cpus: null,
  pids: null,
  timeLimitMs: 86_400_000,
  logBytes: 2 ** 30,
};

export interface ListenerBench {
  readonly listener: Listener;
  readonly clock: FakeClock;
  readonly random: FixedRandom;
  readonly log: RecordingLog;
  readonly store: MemoryJobStore;
  readonly plane: FakeControlPlane;
  readonly launcher: FakeLauncher;
  readonly remover: RecordingRemover;
  /** Starts the listener and lets it come online. */
  start(): Promise<void>;
  /** Lets everything that is ready happen, due timers of 0 ms included. */
  settle(): Promise<void>;
  /** Ends the listener, moving time on until it has. */
  stop(how?: StopHow): Promise<void>;
  state(job: number): JobStateKind | undefined;
}

export interface BenchOptions {
  readonly store?: MemoryJobStore;
  readonly clock?: FakeClock;
  readonly deps?: Partial<ListenerDeps>;
}

export function listenerBench(options: BenchOptions = {}): ListenerBench {
  const clock = options.clock ?? new FakeClock();
  const random = new FixedRandom();
  const log = new RecordingLog();
  const store = options.store ?? new MemoryJobStore();
  const plane = new FakeControlPlane();
  const launcher = new FakeLauncher();
  const remover = new RecordingRemover();
  const listener = new Listener({
    clock,
    random,
    log,
    store,
    controlPlane: plane,
    launcher,
    remover,
    settings: { limits: () => LIMITS, allowed: () => [] },
    identity: () => IDENTITY,
    serverUrl: SERVER_URL,
    concurrency: () => 2,
    engine: () => ENGINE,
    hostInstance: 'host-1',
    workspacesDir: '/data/workspaces',
    ...options.deps,
  });
  const settle = async (): Promise<void> => {
    // Twice: what the first turn does may ask for another.
    await clock.advance(0);
    await clock.advance(0);
  };
  return {
    listener,
    clock,
    random,
    log,
    store,
    plane,
    launcher,
    remover,
    settle,
    async start() {
      await listener.start();
      await settle();
    },
    async stop(how = 'leave') {
      const stopped = listener.stop(how);
      await clock.advance(60_000);
      await stopped;
    },
    state: (job) => store.job(jobIdOf(job) satisfies JobId)?.state.kind,
  };
}
