/**
 * Where runs take place: a plane that behaves as the hosted service, a relay before it, a relay before the engine,
 * and the built host. Owns them all, and how each is broken and brought back.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PlaneClient } from '../../main/cli/plane-client.ts';
import { systemClock } from '../../runner-core/system.ts';
import { EngineRecords } from './engine-records.ts';
import { GateRelay } from './gate-relay.ts';
import { PlaneRecords } from './plane-records.ts';
import { isAlive, workersOf, type WorkerProcess } from './processes.ts';
import { Program } from './program.ts';
import type { Break } from './plan.ts';

const SLOTS = 8;
const ONLINE = /^Session {2}online/;
const PLANE_READY = /"url":"([^"]+)"/;

/** Stops the engine's own process, where it is ours alone. */
export interface EnginePause {
  /** False when it was not done; otherwise `resume` is called later. */
  pause(): Promise<boolean>;
  resume(): void;
}

export interface GroundOptions {
  /** The engine's socket file. */
  readonly engineSocket: string;
  /** Null: the relay before the engine stalls in its place. */
  readonly enginePause: EnginePause | null;
}

interface Parts {
  readonly folder: string;
  readonly plane: Program;
  readonly host: Program;
  readonly toPlane: GateRelay;
  readonly toEngine: GateRelay;
  readonly client: PlaneClient;
}

export class Ground {
  readonly engine: EngineRecords;
  readonly records: PlaneRecords;
  readonly client: PlaneClient;
  readonly #options: GroundOptions;
  readonly #parts: Parts;
  /** Every worker that was seen, by pid and start time. */
  readonly #workers = new Map<string, WorkerProcess>();
  /** What breaks one thing waits until the break before is mended. */
  #hostTurn: Promise<unknown> = Promise.resolve();
  #planeTurn: Promise<unknown> = Promise.resolve();

  private constructor(options: GroundOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    this.client = parts.client;
    this.engine = new EngineRecords(options.engineSocket);
    this.records = new PlaneRecords(join(parts.folder, 'plane'));
  }

  /** Resolves once the host is online. */
  static async open(options: GroundOptions): Promise<Ground> {
    const folder = await mkdtemp(join(tmpdir(), 'preloop-chaos-'));
    const [planeDir, hostDir, socket] = ['plane', 'host', 'engine.sock'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    await mkdir(hostDir, { mode: 0o700 });
    let planePort = 0;
    const plane = new Program('control-plane.js', {}, () => [
      ...['--data-dir', planeDir, '--port', String(planePort)],
      ...['--behaviour', 'hosted', '--ceiling', String(SLOTS)],
    ]);
    plane.start();
    const planeUrl = await plane.line(PLANE_READY);
    planePort = Number(new URL(planeUrl).port);
    const token = (await readFile(join(planeDir, 'token'), 'utf8')).trim();
    const local = { host: '127.0.0.1' };
    const [toPlane, toEngine] = await Promise.all([
      GateRelay.start({ ...local, port: 0 }, { ...local, port: planePort }),
      GateRelay.start({ path: socket }, { path: options.engineSocket }),
    ]);
    const environment = { DOCKER_HOST: `unix://${socket}`, PRELOOP_TOKEN: token };
    const host = new Program('headless.js', environment, () => [
      ...['--data-dir', hostDir, '--no-open', '--concurrency', String(SLOTS)],
      ...['--server', `http://127.0.0.1:${toPlane.port}`],
    ]);
    const client = new PlaneClient(planeUrl, token);
    const ground = new Ground(options, { folder, plane, host, toPlane, toEngine, client });
    try {
      host.start();
      await host.line(ONLINE);
      return ground;
    } catch (error) {
      await ground.close();
      throw error;
    }
  }

  get hostLog(): string {
    return join(this.#parts.folder, 'host', 'diagnostics', 'host.log');
  }

  /** Breaks something, and resolves once it was brought back; that all works again is for the caller to see. */
  async break(what: Break): Promise<string> {
    const { answers } = this.#parts.toPlane;
    if (what.deafMs === 0) return this.#act(what, () => undefined);
    // What the plane has stored by then is not known to be stored: it has to come again, and count once.
    answers.close();
    let isOpen = false;
    const open = (): void => {
      if (!isOpen) answers.open();
      isOpen = true;
    };
    try {
      await systemClock.wait(what.deafMs);
      return await this.#act(what, open);
    } finally {
      open();
    }
  }

  /** @param broken called as soon as it is */
  async #act({ kind, forMs, which }: Break, broken: () => void): Promise<string> {
    switch (kind) {
      case 'host_killed':
        return this.#killHost(forMs, broken);
      case 'worker_killed':
        return this.#killWorker(which);
      case 'socket_cut':
        this.#parts.toPlane.cut();
        broken();
        await systemClock.wait(forMs);
        this.#parts.toPlane.open();
        return 'reset';
      case 'plane_killed':
        return this.#killPlane(forMs, broken);
      case 'engine_paused':
        return this.#pauseEngine(forMs);
    }
  }

  /** Workers that are there beside the spare one, or whose host is gone. */
  async strayWorkers(): Promise<readonly string[]> {
    await this.#noteWorkers();
    const alive: WorkerProcess[] = [];
    for (const [key, worker] of this.#workers) {
      if (await isAlive(worker)) alive.push(worker);
      else this.#workers.delete(key);
    }
    return alive.slice(1).map(({ pid }) => `worker process ${pid}`);
  }

  /** Resolves once the host has printed that it is online, in its present life. */
  async online(): Promise<void> {
    await this.#parts.host.line(ONLINE);
  }

  async close(): Promise<void> {
    const { host, plane, toPlane, toEngine, folder } = this.#parts;
    await host.stop();
    await plane.stop();
    await Promise.all([toPlane.stop(), toEngine.stop(), this.engine.stop()]);
    this.records.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #killHost(forMs: number, broken: () => void): Promise<string> {
    const { host } = this.#parts;
    const turn = this.#hostTurn.then(async () => {
      await this.#noteWorkers();
      await host.kill();
      broken();
      await systemClock.wait(forMs);
      host.start();
    });
    this.#hostTurn = turn;
    await turn;
    return 'killed';
  }

  async #killWorker(which: number): Promise<string> {
    const workers = await this.#noteWorkers();
    const chosen = workers[Math.floor(which * workers.length)];
    if (chosen === undefined) return 'none to kill';
    if (await isAlive(chosen)) process.kill(chosen.pid, 'SIGKILL');
    return 'killed';
  }

  async #killPlane(forMs: number, broken: () => void): Promise<string> {
    const { plane } = this.#parts;
    const turn = this.#planeTurn.then(async () => {
      await plane.kill();
      broken();
      await systemClock.wait(forMs);
      plane.start();
      await plane.line(PLANE_READY);
    });
    this.#planeTurn = turn;
    await turn;
    return 'killed';
  }

  async #pauseEngine(forMs: number): Promise<string> {
    const { enginePause } = this.#options;
    if (enginePause !== null && (await enginePause.pause())) {
      await systemClock.wait(forMs);
      enginePause.resume();
      return 'SIGSTOP';
    }
    const gates = [this.#parts.toEngine.requests, this.#parts.toEngine.answers];
    for (const gate of gates) gate.close();
    await systemClock.wait(forMs);
    for (const gate of gates) gate.open();
    return 'stalled';
  }

  async #noteWorkers(): Promise<readonly WorkerProcess[]> {
    const { pid } = this.#parts.host;
    const workers = pid === undefined ? [] : await workersOf(pid);
    for (const worker of workers) this.#workers.set(`${worker.pid} ${worker.startTime}`, worker);
    return workers;
  }
}
