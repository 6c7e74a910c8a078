/** The host's diagnostic log: JSON lines in a file that is kept small, and on stderr if asked. */
import type { Clock, Log, LogFields } from '../runner-core/ports.ts';
import { Redaction } from './log-redaction.ts';
import { RotatingFile } from './rotating-file.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Lines waiting for the disk; a disk that hangs must not fill the memory. */
const MAX_WAITING_LINES = 5_000;

export interface HostLogOptions {
  /** Its folder exists. Rotated at 5 MiB or after a week, three files in all, none kept over 30 days. */
  readonly path: string;
  readonly clock: Clock;
  /** Least level that is written; 'info' when left out. */
  readonly level?: LogLevel;
  /** Also given every line, newline included, for example `(line) => process.stderr.write(line)`. */
  readonly echo?: (line: string) => void;
}

/** Never throws and never waits; what the disk refuses is counted and said once it works again. */
export class HostLog implements Log {
  readonly #file: RotatingFile;
  readonly #clock: Clock;
  readonly #least: number;
  readonly #echo: ((line: string) => void) | undefined;
  readonly #redaction = new Redaction();
  #waiting: string[] = [];
  #dropped = 0;
  #writing: Promise<void> | undefined;

  constructor(options: HostLogOptions) {
    this.#file = new RotatingFile(options.path, () => options.clock.nowMs());
    this.#clock = options.clock;
    this.#least = LOG_LEVELS.indexOf(options.level ?? 'info');
    this.#echo = options.echo;
  }

  debug(event: string, fields?: LogFields): void {
    this.#write('debug', event, fields);
  }

  info(event: string, fields?: LogFields): void {
    this.#write('info', event, fields);
  }

  warn(event: string, fields?: LogFields): void {
    this.#write('warn', event, fields);
  }

  error(event: string, fields?: LogFields): void {
    this.#write('error', event, fields);
  }

  /** From now on `value` is blanked wherever it appears. Values under 6 characters are ignored. */
  hide(value: string): void {
    this.#redaction.hide(value);
  }

  /** As it may be kept: without what is hidden. */
  clean(text: string): string {
    return this.#redaction.text(text);
  }

  /** Resolves once everything logged before is in the file, or was given up. Never rejects. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  /** Flushes and lets go of the file; later lines open it again. */
  async close(): Promise<void> {
    await this.flush();
    await this.#file.close();
  }

  #write(level: LogLevel, event: string, fields: LogFields | undefined): void {
    if (LOG_LEVELS.indexOf(level) < this.#least) return;
    const line = this.#lineOrExcuse(level, event, fields);
    this.#echoQuietly(line);
    if (this.#waiting.length >= MAX_WAITING_LINES) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(line);
    this.#writing ??= this.#drain();
  }

  #line(level: LogLevel, event: string, fields: LogFields | undefined): string {
    const at = new Date(this.#clock.nowMs()).toISOString();
    const clean = fields === undefined ? {} : this.#redaction.fields(fields);
    // The fixed fields come last, so that no field of a caller can pass for one of them.
    return `${JSON.stringify({ ...clean, at, level, event: this.#redaction.text(event) })}\n`;
  }

  /** Fields may be anything, a proxy that throws included. */
  #lineOrExcuse(level: LogLevel, event: string, fields: LogFields | undefined): string {
    try {
      return this.#line(level, event, fields);
    } catch {
      return `${JSON.stringify({ level, event: 'log line unwritable' })}\n`;
    }
  }

  #echoQuietly(line: string): void {
    try {
      this.#echo?.(line);
    } catch {
      // A closed stderr is no reason to end the host.
    }
  }

  async #drain(): Promise<void> {
    // Lines logged in the same turn make one write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      if (this.#dropped > 0) {
        lines.push(this.#line('warn', 'log lines dropped', { lines: this.#dropped }));
        this.#dropped = 0;
      }
      if (!(await this.#file.append(lines.join('')))) this.#dropped += lines.length;
    }
    this.#writing = undefined;
  }
}
