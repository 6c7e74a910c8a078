/**
 * Takes inbound frames of all sockets, in order of arrival, through one transaction at a time: first
 * everything is on disk, then every reply goes out. Under a flood many frames share one flush.
 */
import type { JsonObject } from '../runner-core/model/json.ts';
import { CONNECTION_REPLACED, RUNNER_GONE, TOKEN_ROTATED } from '../runner-core/wire/errors.ts';
import { Effects } from './effects.ts';
import { handleFrame } from './frame-handlers.ts';
import { goOffline } from './going-offline.ts';
import { sameHash } from './identifiers.ts';
import { LogGroup } from './log-ingest.ts';
import type { PlaneParts } from './plane-parts.ts';
import { CLOSE, type RunnerConnection } from './runner-connection.ts';

/** A group is closed at the first of these, or as soon as a turn of the event loop brings no frame. */
const GROUP_MAX_FRAMES = 512;
const GROUP_MAX_BYTES = 8_388_608;
const GROUP_MAX_MS = 5;

interface Inbound {
  readonly connection: RunnerConnection;
  /** Null: the connection has ended, after all frames before this. */
  readonly data: Buffer | null;
}

export class FramePump {
  readonly #parts: PlaneParts;
  #waiting: Inbound[] = [];
  #waitingBytes = 0;
  #firstAtMs = 0;
  #seen = 0;
  #isScheduled = false;
  #idle: (() => void)[] = [];

  constructor(parts: PlaneParts) {
    this.#parts = parts;
  }

  add(connection: RunnerConnection, data: Buffer | null): void {
    this.#waiting.push({ connection, data });
    this.#waitingBytes += data?.length ?? 0;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#firstAtMs = this.#parts.clock.monotonicMs();
    setImmediate(() => this.#turn());
  }

  /** Resolves when all frames that have arrived are handled and answered. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isScheduled) this.#idle.push(resolve);
      else resolve();
    });
  }

  #turn(): void {
    const arrived = this.#waiting.length > this.#seen;
    const full =
      this.#waiting.length >= GROUP_MAX_FRAMES ||
      this.#waitingBytes >= GROUP_MAX_BYTES ||
      this.#parts.clock.monotonicMs() - this.#firstAtMs >= GROUP_MAX_MS;
    if (arrived && !full) {
      this.#seen = this.#waiting.length;
      setImmediate(() => this.#turn());
      return;
    }
    const group = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#seen = 0;
    this.#isScheduled = false;
    this.#commit(group);
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }

  #commit(group: readonly Inbound[]): void {
    const connections = new Set(group.map(({ connection }) => connection));
    const effects = new Effects();
    try {
      this.#parts.store.transaction(() => {
        const known = new GroupMemory(this.#parts);
        for (const inbound of group) this.#take(inbound, known, effects);
        known.logs.finish();
      });
    } catch (error) {
      // Nothing of the group is on disk, so nobody may be told: the runners come back and repeat it.
      this.#parts.log.error('group of frames lost', { frames: group.length, problem: name(error) });
      for (const connection of connections) connection.cut();
      return;
    }
    for (const connection of connections) connection.cork();
    effects.run(this.#parts.log);
    for (const connection of connections) connection.uncork();
  }

  #take({ connection, data }: Inbound, known: GroupMemory, effects: Effects): void {
    if (data === null) {
      known.forget();
      goOffline(this.#parts, connection);
      return;
    }
    if (connection.isOver()) return;
    const own = new Effects();
    try {
      this.#dispatch(connection, data, known, own);
      effects.absorb(own);
    } catch (error) {
      if (!this.#parts.store.inTransaction) throw error;
      const { runnerId } = connection;
      this.#parts.log.error('frame failed', { runnerId, field: '', problem: name(error) });
      connection.endLoop(effects, CLOSE.failed);
    }
    if (connection.isOver()) {
      known.forget();
      goOffline(this.#parts, connection);
    }
  }

  #dispatch(
    connection: RunnerConnection,
    data: Buffer,
    known: GroupMemory,
    effects: Effects,
  ): void {
    const refusal = known.admits(connection) ? undefined : refusalOf(this.#parts, connection);
    if (refusal !== undefined) {
      connection.reply({ type: 'error', error: refusal }, effects);
      return void connection.endLoop(effects);
    }
    known.admit(connection);
    const frame = readFrame(data.toString('utf8'));
    if (typeof frame === 'string') {
      this.#parts.log.warn('malformed frame', {
        runnerId: connection.runnerId,
        field: '',
        problem: frame,
      });
      return void connection.endLoop(effects, CLOSE.failed);
    }
    if (frame['type'] === 'logs') {
      // No savepoint: what it stores is one statement, and its markers may be read again.
      return void connection.reply(known.logs.ingest(connection.runnerId, frame), effects);
    }
    known.forget();
    this.#parts.store.transaction(() => handleFrame(this.#parts, connection, frame, effects));
  }
}

/** What was looked up for the `logs` frames of one group, until a frame of another kind may change it. */
class GroupMemory {
  readonly logs: LogGroup;
  readonly #admitted = new Set<RunnerConnection>();

  constructor(parts: PlaneParts) {
    this.logs = new LogGroup(parts);
  }

  admits(connection: RunnerConnection): boolean {
    return this.#admitted.has(connection);
  }

  admit(connection: RunnerConnection): void {
    this.#admitted.add(connection);
  }

  forget(): void {
    this.#admitted.clear();
    this.logs.forgetLeases();
  }
}

/** The checks before every frame, in the service's order. Undefined: it may speak. */
function refusalOf(parts: PlaneParts, connection: RunnerConnection): string | undefined {
  const keys = parts.store.runners.keys(connection.runnerId);
  if (keys === undefined) return RUNNER_GONE;
  if (!sameHash(keys.token_hash, connection.tokenHash)) return TOKEN_ROTATED;
  if (keys.connection_id !== connection.connectionId) return CONNECTION_REPLACED;
  return undefined;
}

/** The frame, or in plain words what is wrong with it. */
function readFrame(text: string): JsonObject | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : 'not an object';
}

function name(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? `${error.name} ${String(error.code)}` : error.name;
}
