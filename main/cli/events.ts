/** `preloop-host events`: what happened to connection, engine and machine, newest first. */
import { EVENTS_SHOWN, type EventView } from '../contract/views.ts';
import type { Verb } from './command-context.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { instantText, plainText, table } from './plain-output.ts';

const DEFAULT_LIMIT = 50;

export const events: Verb = async ({ client, flags, print }) => {
  const { events: shown, total } = await client.until('events', { limit: limitOf(flags.limit) });
  if (flags.json) for (const event of shown) print(JSON.stringify(event));
  else for (const line of eventLines(shown, total)) print(line);
  return EXIT.done;
};

export function eventLines(shown: readonly EventView[], total: number): readonly string[] {
  if (shown.length === 0) return ['Nothing happened yet.'];
  const rows = shown.map(({ lastAtMs, atMs, title, times, detail }) => [
    instantText(lastAtMs),
    `${title}${times === 1 ? '' : ` (${times} times since ${instantText(atMs)})`}`,
    plainText(detail),
  ]);
  const lines = table(rows);
  return total > shown.length
    ? [...lines, `${total - shown.length} more; see --limit, up to ${EVENTS_SHOWN}`]
    : lines;
}

function limitOf(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > EVENTS_SHOWN)
    throw new CommandError(`--limit takes a whole number from 1 to ${EVENTS_SHOWN}.`);
  return limit;
}
