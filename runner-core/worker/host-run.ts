/**
 * One started local command until all of it is gone: feeds log and event reader, keeps deadline, linger and stall,
 * ends it politely first, and drains its output by a bound. What the end means is `host-exec/verdict.ts`.
 */
import type { Readable } from 'node:stream';
import { timerMs } from '../host-exec/deadline.ts';
import type { ObservedEvents } from '../host-exec/events.ts';
import type { HostEnd } from '../host-exec/verdict.ts';
import type { Clock, Timer } from '../ports.ts';
import {
  endStarted,
  signalGroup,
  type GroupExit,
  type OwnedTag,
  type StartedGroup,
} from '../process/process-group.ts';
import type { HostLog, HostStream } from './host-log.ts';
import type { OutputTail } from './output-tail.ts';
import type { StopSwitch } from './stop-switch.ts';

/** For what the command wrote before it ended; who still holds the pipe then is none of ours. */
export const DRAIN_MS = 250;
/** No pipe holds more; what comes beyond it after the end is not the command's. */
const MOST_AFTER_END_BYTES = 4 * 2 ** 20;
const STDERR_TAIL_CHARS = 4_096;

export interface EventSource {
  push(bytes: Uint8Array): void;
  end(): void;
  readonly observed: ObservedEvents;
}

export interface HostRunDeps {
  readonly clock: Clock;
  readonly group: StartedGroup;
  readonly tag: OwnedTag;
  readonly reader: EventSource;
  readonly log: HostLog;
  readonly stop: StopSwitch;
  readonly deadlineMs: number;
  readonly lingerMs: number;
  /** 0: silence is no reason. */
  readonly stallMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
  /** The command is past its start: it told of itself. At most once. */
  readonly started: () => void;
}

export interface HostRunEnd extends GroupExit {
  readonly ending: Exclude<HostEnd['ending'], 'not_started'>;
  readonly stderrTail: string;
  readonly observed: ObservedEvents;
  /** From its start to its exit. */
  readonly ranMs: number;
  /** False: something of it does not go. */
  readonly isGone: boolean;
}

export class HostRun {
  readonly #deps: HostRunDeps;
  readonly #timers = new Set<Timer>();
  #readBytes = 0;
  readonly #tail: OutputTail;
  #ending: HostRunEnd['ending'] = 'exited';
  #isEnding = false;
  #hasExited = false;
  #hasStarted = false;
  #stall: Timer | null = null;
  #hasLinger = false;

  constructor(deps: HostRunDeps) {
    this.#deps = deps;
    this.#tail = deps.log.tail(STDERR_TAIL_CHARS);
  }

  /** Resolves when the command and all it started are gone, or do not go. */
  async toTheEnd(): Promise<HostRunEnd> {
    const { group, reader, log, clock, tag, stop, deadlineMs } = this.#deps;
    const beganMs = clock.monotonicMs();
    const outputs = Promise.all([
      this.#read('stdout', group.stdout),
      this.#read('stderr', group.stderr),
    ]);
    this.#after(deadlineMs, () => this.#end('deadline'));
    this.#restartStall();
    const onStop = (): void => this.#end(null);
    if (stop.signal.aborted) onStop();
    else stop.signal.addEventListener('abort', onStop, { once: true });
    const exit = await group.exited;
    const ranMs = clock.monotonicMs() - beganMs;
    this.#hasExited = true;
    stop.signal.removeEventListener('abort', onStop);
    for (const timer of this.#timers) timer.cancel();
    this.#stall?.cancel();
    await within(clock, DRAIN_MS, outputs);
    const isGone = await endStarted(clock, group, tag);
    await this.#drained(outputs);
    for (const pipe of [group.stdout, group.stderr]) pipe.destroy();
    reader.end();
    this.#tail.end();
    log.end();
    return {
      ...exit,
      ending: this.#ending,
      stderrTail: this.#tail.text,
      observed: reader.observed,
      ranMs,
      isGone,
    };
  }

  /** Reads until the pipe's end, or until it is destroyed. Never rejects: what a pipe loses, the exit code tells. */
  #read(stream: HostStream, pipe: Readable): Promise<void> {
    const { log, reader } = this.#deps;
    return new Promise((resolve) => {
      pipe.on('data', (bytes: Buffer) => {
        log.push(stream, bytes);
        if (stream === 'stdout') reader.push(bytes);
        else this.#tail.push(bytes);
        this.#readBytes += bytes.length;
        this.#heard();
        const room = log.room();
        if (room === undefined) return;
        pipe.pause();
        this.#stall?.cancel();
        void room.then(() => {
          pipe.resume();
          this.#restartStall();
        });
      });
      pipe.on('error', () => resolve());
      pipe.once('close', () => resolve());
      pipe.once('end', () => resolve());
    });
  }

  /** Any output counts. */
  #heard(): void {
    const { reader, started, lingerMs } = this.#deps;
    const { sawInit, resultCount } = reader.observed;
    if (sawInit && !this.#hasStarted) {
      this.#hasStarted = true;
      started();
    }
    if (resultCount > 0 && !this.#hasLinger && !this.#hasExited) {
      this.#hasLinger = true;
      this.#after(lingerMs, () => this.#end('lingered'));
    }
    this.#restartStall();
  }

  #restartStall(): void {
    const { clock, stallMs, reader } = this.#deps;
    this.#stall?.cancel();
    this.#stall = null;
    if (stallMs <= 0 || this.#hasExited || this.#isEnding) return;
    // After the result its own limit counts: a run on its way out has nothing more to say.
    if (reader.observed.openToolCalls > 0 || reader.observed.resultCount > 0) return;
    this.#stall = clock.after(timerMs(stallMs), () => this.#end('stalled'));
  }

  /** Asks the group to end, and makes it. `why` null: a stop, of which the switch knows. */
  #end(why: Exclude<HostRunEnd['ending'], 'exited'> | null): void {
    if (this.#hasExited) return;
    const { clock, group, graceMs, stop, tag } = this.#deps;
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (why !== null) this.#ending = why;
    this.#stall?.cancel();
    void signalGroup(group.owned, 'SIGTERM');
    const grace = Math.min(graceMs, stop.request?.graceMs ?? graceMs);
    this.#after(grace, () => void endStarted(clock, group, tag));
  }

  /** All is dead that we know of, so the pipes end once they are read empty; a stranger that holds one is not waited for. */
  async #drained(outputs: Promise<unknown>): Promise<void> {
    const { clock, log } = this.#deps;
    const from = this.#readBytes;
    for (;;) {
      await log.room();
      const before = this.#readBytes;
      if (await within(clock, DRAIN_MS, outputs)) return;
      const isStill = this.#readBytes === before;
      if (isStill || this.#readBytes - from > MOST_AFTER_END_BYTES) return;
    }
  }

  #after(delayMs: number, act: () => void): void {
    this.#timers.add(this.#deps.clock.after(timerMs(delayMs), act));
  }
}

/** True when `work` was done in time. */
async function within(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const limit = clock.after(limitMs, () => resolve(false));
  const inTime = await Promise.race([work.then(() => true), promise]);
  limit.cancel();
  return inTime;
}
