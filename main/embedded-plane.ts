/**
 * Runs the embedded plane beside the host when no service is configured. Owns the child process: its
 * start, its restart after a crash, its end. The plane keeps its own database in a folder of ours.
 */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import type { Clock, Log } from '../runner-core/ports.ts';

const START_TIMEOUT_MS = 15_000;
const RESTART_DELAY_MS = 1_000;
const LONGEST_RESTART_DELAY_MS = 30_000;
/** A plane whose host was killed takes a moment to notice, and holds port and folder until then. */
const FORMER_PLANE_MS = 1_000;
/** Slots the owner lets the runner have, the most there can be: on one machine the host's own setting decides. */
const CEILING = 32;
const STOP_TIMEOUT_MS = 5_000;

/** Names, in the plane's folder, of what the `preloop-host` command needs to reach it. */
export const PLANE_FILES = { address: 'address', token: 'token' } as const;

const readySchema = z.object({ ready: z.literal(true), url: z.url() });

/** The plane as a running program, however its shell starts one. */
export interface PlaneProcess {
  readonly pid: number | undefined;
  readonly stdout: NodeJS.ReadableStream;
  readonly stderr: NodeJS.ReadableStream;
  /** Called once; `problem` where it could not even be started. */
  onExit(
    ended: (how: { readonly code: number | null; readonly problem: string | null }) => void,
  ): void;
  /** Tells it that its host is done with it: it closes and ends. Idempotent. */
  release(): void;
  /** SIGKILL, or its like. Idempotent. */
  kill(): void;
}
/** Starts the plane's entry. The program must end with this process, however this one ends. */
export type StartPlane = (entry: string, args: readonly string[]) => PlaneProcess;

export interface EmbeddedPlaneOptions {
  readonly entry: string;
  /** As a child process of plain Node where nothing is said. */
  readonly start?: StartPlane | undefined;
  /** Created by the plane, mode 0700. */
  readonly dataDir: string;
  /** The port of the last start, so that jobs and runners find it again; null for any. */
  readonly port: number | null;
  readonly clock: Clock;
  readonly log: Log;
}

export class PlaneStartError extends Error {
  readonly code = 'plane_start_failed';
}

export class EmbeddedPlane {
  readonly #options: EmbeddedPlaneOptions;
  #process: PlaneProcess | null = null;
  #exited: Promise<void> = Promise.resolve();
  #stopping = false;
  #url = '';

  private constructor(options: EmbeddedPlaneOptions) {
    this.#options = options;
  }

  /** Starts the plane and waits until it listens. Throws PlaneStartError. */
  static async start(options: EmbeddedPlaneOptions): Promise<EmbeddedPlane> {
    const plane = new EmbeddedPlane(options);
    await plane.#launch(options.port).catch(async (error: unknown) => {
      options.log.warn('plane tried again', { problem: String(error) });
      await options.clock.wait(FORMER_PLANE_MS);
      await plane.#relaunch();
    });
    await writeFile(join(options.dataDir, PLANE_FILES.address), `${plane.url}\n`, { mode: 0o600 });
    return plane;
  }

  /** `http://127.0.0.1:PORT`. */
  get url(): string {
    return this.#url;
  }

  get port(): number {
    return Number(new URL(this.#url).port);
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** The owner's token of this plane, from its 0600 file. */
  async ownerToken(): Promise<string> {
    return (await readFile(join(this.#options.dataDir, PLANE_FILES.token), 'utf8')).trim();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const plane = this.#process;
    if (plane === null) return;
    const cut = this.#options.clock.after(STOP_TIMEOUT_MS, () => plane.kill());
    // It takes no signals, which may reach it before the host is done with it.
    plane.release();
    await this.#exited;
    cut.cancel();
  }

  async #relaunch(): Promise<void> {
    const { port, log } = this.#options;
    try {
      await this.#launch(port);
    } catch (error) {
      if (port === null) throw error;
      // Somebody else has our port now. Another one serves as well: identity is kept by name, not by address.
      log.warn('plane port taken', { port });
      await this.#launch(null);
    }
  }

  /** Again and again: without a plane the host has nobody to report to. At the same port, which runners and commands know. */
  #restartAfter(delayMs: number): void {
    const { clock, log } = this.#options;
    clock.after(delayMs, () => {
      if (this.#stopping) return;
      this.#launch(this.port).then(
        () => log.info('plane restarted', { pid: this.pid }),
        (error: unknown) => {
          if (this.#stopping) return;
          log.error('plane could not be restarted', { problem: String(error) });
          this.#restartAfter(Math.min(2 * delayMs, LONGEST_RESTART_DELAY_MS));
        },
      );
    });
  }

  async #launch(port: number | null): Promise<void> {
    const { entry, dataDir, clock, log, start = startPlaneChild } = this.#options;
    const plane = start(entry, [
      '--data-dir',
      dataDir,
      '--port',
      String(port ?? 0),
      '--behaviour',
      'improved',
      '--ceiling',
      String(CEILING),
      '--with-parent',
    ]);
    this.#process = plane;
    let lastWords = '';
    plane.stderr.setEncoding('utf8');
    plane.stderr.on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-2_000);
    });
    const lines = createInterface({ input: plane.stdout });
    const exited = new Promise<{ code: number | null; problem: string | null }>((resolve) => {
      plane.onExit(({ code, problem }) => {
        if (this.#process === plane) this.#process = null;
        resolve({ code, problem });
      });
    });
    this.#exited = exited.then(() => undefined);
    await new Promise<void>((resolve, reject) => {
      const timer = clock.after(START_TIMEOUT_MS, () => {
        plane.kill();
        reject(new PlaneStartError('The embedded plane did not come up within 15 s'));
      });
      void exited.then(({ code, problem }) => {
        timer.cancel();
        reject(
          new PlaneStartError(
            problem === null
              ? `The embedded plane ended with code ${code ?? 'none'}: ${lastWords.trim()}`
              : `The embedded plane could not be started: ${problem}`,
          ),
        );
      });
      lines.once('line', (line) => {
        timer.cancel();
        const ready = readySchema.safeParse(readJson(line));
        if (!ready.success) {
          plane.kill();
          reject(new PlaneStartError('The embedded plane did not say where it listens'));
          return;
        }
        this.#url = ready.data.url;
        resolve();
      });
    });
    void exited.then(({ code }) => {
      if (this.#stopping) return;
      log.error('plane ended by itself', { code, lastWords });
      this.#restartAfter(RESTART_DELAY_MS);
    });
  }
}

/** The plane as a child of plain Node. */
export const startPlaneChild: StartPlane = (entry, args) => {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { PATH: process.env['PATH'] ?? '' },
    // The pipe on standard input is what tells the plane that its host is gone.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    onExit(ended) {
      child.once('error', (error) => ended({ code: null, problem: error.message }));
      child.once('exit', (code) => ended({ code, problem: null }));
    },
    release: () => void child.stdin.end(),
    kill: () => void child.kill('SIGKILL'),
  };
};

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
