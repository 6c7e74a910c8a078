/** One program of the product as a process of ours, to be killed and started again. Owns its process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const START_LIMIT_MS = 60_000;
const KEPT_LINES = 200;

export class Program {
  readonly #entry: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #args: () => readonly string[];
  readonly #waiting = new Set<() => void>();
  #child: ChildProcess | null = null;
  #lines: string[] = [];

  /**
   * @param entry its file in `out/`
   * @param args asked for at each start
   */
  constructor(
    entry: string,
    environment: Readonly<Record<string, string>>,
    args: () => readonly string[],
  ) {
    this.#entry = entry;
    this.#environment = environment;
    this.#args = args;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** What it printed last, for people. */
  get lastWords(): string {
    return this.#lines.slice(-20).join('\n');
  }

  start(): void {
    const entry = fileURLToPath(new URL(`../../out/${this.#entry}`, import.meta.url));
    const child = spawn(process.execPath, [entry, ...this.#args()], {
      env: { ...process.env, ...this.#environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#lines = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (text) => this.#heard(child, text));
    child.once('exit', () => this.#look());
  }

  /** Resolves with what the first line of this start that matches has in its first group. Throws when it ends before, or takes a minute. */
  async line(pattern: RegExp): Promise<string> {
    const child = this.#child;
    const limit = AbortSignal.timeout(START_LIMIT_MS);
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        this.#waiting.delete(look);
        limit.removeEventListener('abort', look);
        act();
      };
      const look = (): void => {
        const found = this.#child === child ? this.#find(pattern) : undefined;
        if (found !== undefined) settle(() => resolve(found));
        else if (limit.aborted || child !== this.#child || hasEnded(child))
          settle(() => reject(new Error(`${this.#entry} did not come up:\n${this.lastWords}`)));
      };
      this.#waiting.add(look);
      limit.addEventListener('abort', look);
      look();
    });
  }

  /** Nothing is closed or said: as a power cut. Resolves when it is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null || hasEnded(child)) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  #find(pattern: RegExp): string | undefined {
    for (const text of this.#lines) {
      const found = pattern.exec(text);
      if (found !== null) return found[1] ?? found[0];
    }
    return undefined;
  }

  #heard(child: ChildProcess, text: string): void {
    if (child !== this.#child) return;
    this.#lines.push(text);
    if (this.#lines.length > KEPT_LINES) this.#lines.shift();
    this.#look();
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}

function hasEnded(child: ChildProcess | null): boolean {
  return child === null || child.exitCode !== null || child.signalCode !== null;
}
