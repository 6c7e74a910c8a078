/**
 * A Docker engine of this project's own, for a machine that has none running: started when a command
 * needs one, stopped by pid when the last command that uses it ends. All it keeps (images, log) lies
 * in the cache folder, so the next start is quick.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EndpointProbe } from '../../runner-core/docker/docker-endpoint.ts';
import type { Clock } from '../../runner-core/ports.ts';
import { SetupError, say } from './say.mjs';

const READY_MS = 60_000;
const STOP_MS = 30_000;
const LOOK_MS = 200;

export class PrivateEngine {
  readonly socket: string;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #probe: EndpointProbe;

  /** @param folder absolute and short: a socket's path may have 107 bytes at most */
  constructor(folder: string, clock: Clock, probe: EndpointProbe) {
    this.#folder = folder;
    this.#clock = clock;
    this.#probe = probe;
    this.socket = join(folder, 'docker.sock');
  }

  async answers(): Promise<boolean> {
    return (await this.#probe.probe({ kind: 'socket', path: this.socket })).kind === 'engine';
  }

  /** Starts the engine, or joins one that another command started. @throws SetupError */
  async use(): Promise<void> {
    await mkdir(join(this.#folder, 'users'), { recursive: true, mode: 0o700 });
    await writeFile(this.#userFile(), '');
    try {
      if (!(await this.answers())) await this.#start();
    } catch (error) {
      await rm(this.#userFile(), { force: true });
      throw error;
    }
  }

  /** Pid of the engine's process where nobody but this command uses it; undefined otherwise. */
  async soleProcess(): Promise<number | undefined> {
    const users = await readdir(join(this.#folder, 'users'));
    const others = users.map(Number).filter((pid) => pid !== process.pid && isAlive(pid));
    return others.length === 0 ? this.#pid() : undefined;
  }

  /** Gives the engine up; stops it when nobody else uses it. */
  async release(): Promise<void> {
    await rm(this.#userFile(), { force: true });
    const users = await readdir(join(this.#folder, 'users'));
    if (users.some((pid) => isAlive(Number(pid)))) return;
    const pid = this.#pid();
    if (pid === undefined) return;
    say('Stopping the private Docker engine…');
    process.kill(pid, 'SIGTERM');
    if (!(await this.#seen(STOP_MS, () => Promise.resolve(!isAlive(pid)))))
      process.kill(pid, 'SIGKILL');
  }

  async #start(): Promise<void> {
    const logFile = join(this.#folder, 'dockerd.log');
    say(`Starting a private Docker engine (its log: ${logFile})…`);
    const pidFile = join(this.#folder, 'dockerd.pid');
    // One left by a power cut would keep dockerd from starting if its number is in use again.
    if (this.#pid() === undefined) await rm(pidFile, { force: true });
    const log = await open(logFile, 'w');
    const args = [
      ['--data-root', join(this.#folder, 'data')],
      ['--exec-root', join(this.#folder, 'exec')],
      ['--pidfile', pidFile],
      ['--host', `unix://${this.socket}`],
    ].flat();
    // A process group of its own: Ctrl-C must not take it from the tests that still clean up.
    const child = spawn('dockerd', args, {
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
    });
    // A failed start is seen by the missing pid; an 'error' nobody listens to would end this process.
    child.on('error', () => undefined);
    child.unref();
    const isGone = (): boolean =>
      child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    await log.close();
    // It may be gone because another command's engine was quicker, and that one need not be ready yet.
    const isHopeless = (): boolean => isGone() && this.#pid() === undefined;
    await this.#seen(READY_MS, async () => (await this.answers()) || isHopeless());
    if (await this.answers()) return;
    if (!isGone()) child.kill('SIGTERM');
    const lastWords = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
    throw new SetupError(
      `dockerd did not start:\n${lastWords}`,
      'start Docker yourself (for example `service docker start`), then run the same command again.',
    );
  }

  /** Pid of the engine's process; undefined when it does not run. */
  #pid(): number | undefined {
    try {
      const pid = Number(readFileSync(join(this.#folder, 'dockerd.pid'), 'utf8'));
      const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
      return name === 'dockerd' ? pid : undefined;
    } catch {
      return undefined;
    }
  }

  #userFile(): string {
    return join(this.#folder, 'users', String(process.pid));
  }

  async #seen(withinMs: number, look: () => Promise<boolean>): Promise<boolean> {
    const endMs = this.#clock.monotonicMs() + withinMs;
    while (this.#clock.monotonicMs() < endMs) {
      if (await look()) return true;
      await this.#clock.wait(LOOK_MS);
    }
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
