/** A Log that keeps what it was given. */
import type { Log, LogFields } from '../../runner-core/ports.ts';

export class RecordedLog implements Log {
  readonly lines: { level: string; event: string; fields: LogFields }[] = [];

  debug(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', event, fields });
  }
  info(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', event, fields });
  }
  warn(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', event, fields });
  }
  error(event: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', event, fields });
  }

  events(): readonly string[] {
    return this.lines.map((line) => line.event);
  }
}
