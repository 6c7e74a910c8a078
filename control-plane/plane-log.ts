/** Diagnostics of the plane as JSON lines. Fields are facts we chose; nothing from a body or a token is passed in. */
import type { Clock, Log, LogFields } from '../runner-core/ports.ts';

export function jsonLinesLog(clock: Clock, write: (line: string) => void): Log {
  const at =
    (level: string) =>
    (event: string, fields: LogFields = {}): void =>
      write(
        `${JSON.stringify({ at: new Date(clock.nowMs()).toISOString(), level, event, ...fields })}\n`,
      );
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
