/** `utilityProcess`: real processes, with `process.parentPort` in place of Node's own channel. */
import { fork, type ChildProcess } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ForkOptions } from 'electron';
import { appDouble } from './app.ts';
import { changed, shows } from './control.ts';
import { Emitter } from './emitter.ts';
import { onlyKeys, strict } from './strict.ts';

const SHIM = fileURLToPath(new URL('./utility-shim.mjs', import.meta.url));

export type UtilityEvents = {
  readonly spawn: readonly [];
  readonly exit: readonly [code: number];
  readonly error: readonly [type: 'FatalError', location: string, report: string];
  readonly message: readonly [message: unknown];
};

const running = new Set<{ readonly pid: number; readonly entry: string }>();
shows('utilities', () => [...running]);

export class UtilityProcessDouble extends Emitter<UtilityEvents> {
  readonly stdout: NodeJS.ReadableStream | null;
  readonly stderr: NodeJS.ReadableStream | null;
  readonly #child: ChildProcess;
  #pid: number | undefined;

  constructor(entry: string, args: readonly string[], options: ForkOptions) {
    super('UtilityProcess', ['spawn', 'exit', 'error', 'message']);
    appDouble.requireReady('utilityProcess');
    onlyKeys('fork option', options, ['env', 'stdio', 'serviceName']);
    if (!isAbsolute(entry)) throw new Error('the entry is named by its absolute path');
    if (!Array.isArray(options.stdio) || options.stdio[0] !== 'ignore')
      throw new Error('a utility process has no standard input');
    const child = fork(entry, [...args], {
      env: { ...options.env },
      execArgv: ['--import', SHIM],
      serialization: 'advanced',
      stdio: [...options.stdio, 'ipc'],
    });
    this.#child = child;
    this.stdout = child.stdout;
    this.stderr = child.stderr;
    // Electron knows the number of a process, and says so, only once it runs.
    child.once('spawn', () => {
      const { pid } = child;
      if (pid === undefined) return;
      this.#pid = pid;
      const known = { pid, entry };
      running.add(known);
      child.once('exit', () => {
        running.delete(known);
        changed();
      });
      changed();
      this.raise('spawn');
    });
    child.on('message', (message) => {
      // A turn later than it could be: messages and the end come by two ways, and nobody may rely on their order.
      setImmediate(() => void this.raise('message', message));
    });
    child.once('exit', (code, signal) => {
      this.#pid = undefined;
      this.raise('exit', code ?? (signal === null ? 1 : 137));
    });
    child.on('error', () => undefined);
    return strict<UtilityProcessDouble>('UtilityProcess', this);
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  postMessage(message: unknown): void {
    if (this.#child.connected)
      this.#child.send(structuredClone(message) as object, () => undefined);
  }
}

export const utilityProcess = strict('utilityProcess', {
  fork: (entry: string, args: string[] = [], options: ForkOptions = {}): UtilityProcessDouble =>
    new UtilityProcessDouble(entry, args, options),
});
