/** One line of Cursor's output to the event it is, and what stands in an event, whatever its types. Pure. */
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { ownCopy } from './own-copy.ts';

/** A longer id is none. */
const ID_MAX_CHARS = 256;

/** The event that a line is, or as much of it as a cut line tells; undefined where it is none. */
export function eventOf(line: string): JsonObject | undefined {
  const text = line.trim();
  return text.startsWith('{') ? (parsed(text) ?? cutEvent(text)) : undefined;
}

/** The text of a message: its text parts, one after another. */
export function messageText(event: JsonObject): string {
  const message = event['message'];
  const content = isJsonObject(message) ? message['content'] : undefined;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly Json[])
    .map((part) => (isJsonObject(part) ? textIn(part['text']) : ''))
    .join('');
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the beginning of a cut event still tells; undefined where it does not begin like one. */
function cutEvent(text: string): JsonObject | undefined {
  const head = ownCopy(text.slice(0, 4_096));
  const field = (name: string): string | undefined =>
    new RegExp(`"${name}":"([^"\\\\]{1,256})"`).exec(head)?.[1];
  if (!/^\{\s*"type"\s*:/.test(head)) return undefined;
  const type = field('type');
  if (type !== 'tool_call') return type === undefined ? undefined : { type: 'unreadable' };
  const tool = /"tool_call":\{"(\w{1,64})":/.exec(head)?.[1];
  const args: Record<string, Json> = {};
  for (const name of ['path', 'command', 'pattern', 'globPattern', 'query', 'url']) {
    const value = field(name);
    if (value !== undefined) args[name] = value;
  }
  return {
    type,
    subtype: field('subtype') ?? '',
    call_id: field('call_id') ?? '',
    ...(tool === undefined ? {} : { tool_call: { [tool]: { args } } }),
  };
}

export function idIn(value: Json | undefined): string {
  const id = textIn(value);
  return id.length <= ID_MAX_CHARS ? id : '';
}
export function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
export function numberIn(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
