/**
 * Runs the embedded plane beside the host when no service is configured. Owns the child process: its
 * start, its restart after a crash, its end. The plane keeps its own database in a folder of ours.
 */
import { spawn, type ChildProcess } from 'node:child_process';
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

export interface EmbeddedPlaneOptions {
  readonly entry: string;
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
  #child: ChildProcess | null = null;
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
    return this.#child?.pid;
  }

  /** The owner's token of this plane, from its 0600 file. */
  async ownerToken(): Promise<string> {
    return (await readFile(join(this.#options.dataDir, PLANE_FILES.token), 'utf8')).trim();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
    const cut = this.#options.clock.after(STOP_TIMEOUT_MS, () => child.kill('SIGKILL'));
    // It takes no signals, which may reach it before the host is done with it.
    child.stdin?.end();
    await exited;
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
    const { entry, dataDir, clock, log } = this.#options;
    const args = [
      entry,
      '--data-dir',
      dataDir,
      '--port',
      String(port ?? 0),
      '--behaviour',
      'improved',
      '--ceiling',
      String(CEILING),
      '--with-parent',
    ];
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env['PATH'] ?? '' },
      // The pipe on standard input is what tells the plane that its host is gone.
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    let lastWords = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-2_000);
    });
    const lines = createInterface({ input: child.stdout });
    await new Promise<void>((resolve, reject) => {
      const timer = clock.after(START_TIMEOUT_MS, () => {
        child.kill('SIGKILL');
        reject(new PlaneStartError('The embedded plane did not come up within 15 s'));
      });
      child.once('error', (error) => {
        timer.cancel();
        reject(new PlaneStartError(`The embedded plane could not be started: ${error.message}`));
      });
      child.once('exit', (code) => {
        timer.cancel();
        reject(
          new PlaneStartError(
            `The embedded plane ended with code ${code ?? 'none'}: ${lastWords.trim()}`,
          ),
        );
      });
      lines.once('line', (line) => {
        timer.cancel();
        const ready = readySchema.safeParse(readJson(line));
        if (!ready.success) {
          child.kill('SIGKILL');
          reject(new PlaneStartError('The embedded plane did not say where it listens'));
          return;
        }
        this.#url = ready.data.url;
        resolve();
      });
    });
    child.once('exit', (code, signal) => {
      if (this.#stopping) return;
      log.error('plane ended by itself', { code, signal, lastWords });
      this.#restartAfter(RESTART_DELAY_MS);
    });
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
