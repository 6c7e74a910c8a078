/**
 * The events of a Cursor run as something to read: what was asked, what the agent said, its tool calls with their
 * duration, how it ended. Pure; made anew from the lines of the log as often as needed, or fed line by line.
 *
 * With partial output Cursor tells a text in pieces and then whole, once or more: it is shown once. A line that the log
 * cut is read as far as it goes.
 */
import { eventOf, idIn, messageText, numberIn, textIn } from './event-line.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import type { RecordRange } from './log-chunk.ts';
import { cutCopy } from './own-copy.ts';
import { SpokenTexts } from './spoken-texts.ts';
import { describedTool, type DescribedTool } from './tool-call.ts';

/** One line of a job's log. `atMs`: when it came, epoch milliseconds; null where nobody knows. */
export interface ConversationLine {
  readonly text: string;
  readonly source: 'stdout' | 'stderr' | 'runner';
  readonly atMs: number | null;
  /** The records of the log that it is, where it is of a log that is kept. */
  readonly records?: RecordRange;
}

export interface ToolEntry extends DescribedTool {
  readonly kind: 'tool';
  /** `open`: no end of it was told yet. */
  readonly state: 'open' | 'done' | 'failed';
  readonly durationMs: number | null;
}

export type ConversationEntry =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly durationMs: number | null }
  | ToolEntry
  /** Lines that are no events, neighbours joined. */
  | { readonly kind: 'plain'; readonly source: ConversationLine['source']; readonly text: string }
  | {
      readonly kind: 'result';
      readonly isGood: boolean;
      /** '' where the agent's last words say the same. */
      readonly text: string;
      readonly durationMs: number | null;
      readonly tokens: ConversationTokens | null;
    };

export interface ConversationTokens {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
}

export interface Conversation {
  /** As Cursor calls it; null until it says so. */
  readonly model: string | null;
  readonly sessionId: string | null;
  readonly entries: readonly ConversationEntry[];
  /** False: these lines hold no event at all, so there is nothing to read but the log. */
  readonly hasEvents: boolean;
}

/** The conversation of all lines so far. */
export function conversationOf(lines: Iterable<ConversationLine>): Conversation {
  const builder = new ConversationBuilder();
  for (const line of lines) builder.push(line);
  return builder.conversation;
}

const TEXT_MAX_CHARS = 65_536;
const NAME_MAX_CHARS = 256;
/** Of more calls at once the oldest stays open. */
const OPEN_CALLS_MAX = 4_096;
/** A run ends once: more results than this are kept only while there is room. */
const RESULTS_KEPT_MAX = 8;
interface TextSlot {
  readonly kind: 'prompt' | 'text';
  text: string;
}
type Slot =
  | TextSlot
  | {
      kind: 'thinking';
      text: string;
      isOpen: boolean;
      sinceMs: number | null;
      untilMs: number | null;
    }
  | {
      kind: 'tool';
      tool: DescribedTool;
      state: ToolEntry['state'];
      sinceMs: number | null;
      untilMs: number | null;
    }
  | { kind: 'plain'; source: ConversationLine['source']; text: string }
  | { kind: 'result'; entry: ConversationEntry & { readonly kind: 'result' } };

/** What a builder may hold; the first results are kept beyond it. */
export interface ConversationBounds {
  readonly entries: number;
  /** Of all texts together, about. */
  readonly chars: number;
}

const NO_BOUNDS: ConversationBounds = {
  entries: Number.POSITIVE_INFINITY,
  chars: Number.POSITIVE_INFINITY,
};

/** Takes lines in their order; `conversation` is what they make so far. */
export class ConversationBuilder {
  readonly #bounds: ConversationBounds;
  readonly #slots: Slot[] = [];
  readonly #places = new Map<Slot, RecordRange>();
  /** Of the line that is being taken. */
  #records: RecordRange | null = null;
  #chars = 0;
  #leftOut = 0;
  #results = 0;
  readonly #calls = new Map<string, Slot & { kind: 'tool' }>();
  readonly #spoken = new SpokenTexts();
  /** The slot of the segment that was said last. */
  #text: TextSlot | null = null;
  #model: string | null = null;
  #sessionId: string | null = null;
  #hasEvents = false;

  constructor(bounds: ConversationBounds = NO_BOUNDS) {
    this.#bounds = bounds;
  }

  push(line: ConversationLine): void {
    this.#records = line.records ?? null;
    if (line.source !== 'stdout') return void this.#plain(line);
    const event = eventOf(line.text);
    if (event === undefined) return void this.#plain(line);
    this.#hasEvents = true;
    this.#sessionId = idIn(event['session_id']) || this.#sessionId;
    this.#event(event, numberIn(event['timestamp_ms']) ?? line.atMs);
  }

  get conversation(): Conversation {
    return {
      model: this.#model,
      sessionId: this.#sessionId,
      entries: this.#slots.filter(isSaid).map(entryOf),
      hasEvents: this.#hasEvents,
    };
  }

  /** The same without the entries, and how many there are; those beyond the bounds are only counted. */
  get head(): Omit<Conversation, 'entries'> & { readonly total: number; readonly leftOut: number } {
    return {
      model: this.#model,
      sessionId: this.#sessionId,
      hasEvents: this.#hasEvents,
      total: this.#slots.reduce((count, slot) => count + (isSaid(slot) ? 1 : 0), 0),
      leftOut: this.#leftOut,
    };
  }

  /** Some of the entries. */
  entries(offset: number, limit: number): readonly ConversationEntry[] {
    return this.#some(offset, limit).map(entryOf);
  }

  /** Where each of these entries stands in the log, from the line it began with to the last that told of it. */
  places(offset: number, limit: number): readonly (RecordRange | null)[] {
    return this.#some(offset, limit).map((slot) => this.#places.get(slot) ?? null);
  }

  #some(offset: number, limit: number): readonly Slot[] {
    return this.#slots.filter(isSaid).slice(offset, offset + limit);
  }

  #add(slot: Slot): void {
    const isFull = this.#slots.length >= this.#bounds.entries || this.#chars >= this.#bounds.chars;
    const isKept = slot.kind === 'result' && this.#results < RESULTS_KEPT_MAX;
    if (isFull && !isKept) {
      this.#leftOut += 1;
      return;
    }
    if (slot.kind === 'result') this.#results += 1;
    this.#slots.push(slot);
    if (this.#records !== null) this.#places.set(slot, this.#records);
    this.#chars += charsOf(slot);
  }

  #longer(slot: Extract<Slot, { text: string }>, text: string): void {
    this.#chars += text.length - slot.text.length;
    slot.text = text;
    this.#reaches(slot);
  }

  /** The line that is being taken tells of this entry too. */
  #reaches(slot: Slot): void {
    const place = this.#places.get(slot);
    if (place !== undefined && this.#records !== null)
      this.#places.set(slot, { first: place.first, last: this.#records.last });
  }

  #event(event: JsonObject, atMs: number | null): void {
    const type = textIn(event['type']);
    if (type !== 'thinking') this.#endThinking(null);
    if (type === 'system')
      this.#model = cutCopy(textIn(event['model']), NAME_MAX_CHARS) || this.#model;
    else if (type === 'user') this.#prompt(messageText(event));
    else if (type === 'assistant') this.#said(event);
    else if (type === 'thinking') this.#thought(event, atMs);
    else if (type === 'tool_call') this.#called(event, atMs);
    else if (type === 'result') this.#ended(event);
  }

  #prompt(text: string): void {
    if (text === '') return;
    this.#spoken.turn();
    this.#add({ kind: 'prompt', text: bounded(text) });
  }

  #said(event: JsonObject): void {
    const isDelta =
      numberIn(event['timestamp_ms']) !== null && textIn(event['model_call_id']) === '';
    const spoken = this.#spoken.take(messageText(event), isDelta);
    // The whole text after its pieces says nothing new, and is a line of it all the same.
    if (this.#text !== null && this.#slots.at(-1) === this.#text && spoken?.isNew !== true)
      this.#reaches(this.#text);
    if (spoken === null) return;
    // What is shown of it is whole already.
    if (!spoken.isNew && (this.#text?.text.length ?? 0) > TEXT_MAX_CHARS) return;
    const text = bounded(spoken.text);
    if (spoken.isNew || this.#text === null) {
      this.#text = { kind: 'text', text };
      this.#add(this.#text);
    } else this.#longer(this.#text, text);
  }

  #thought(event: JsonObject, atMs: number | null): void {
    if (event['subtype'] === 'completed') return void this.#endThinking(atMs, true);
    const text = textIn(event['text']);
    const last = this.#slots.at(-1);
    if (last?.kind === 'thinking' && last.isOpen) {
      if (last.text.length <= TEXT_MAX_CHARS) this.#longer(last, bounded(last.text + text));
      last.untilMs = atMs ?? last.untilMs;
    } else if (text !== '')
      this.#add({
        kind: 'thinking',
        text: bounded(text),
        isOpen: true,
        sinceMs: atMs,
        untilMs: atMs,
      });
  }

  #endThinking(atMs: number | null, isTold = false): void {
    const last = this.#slots.at(-1);
    if (last?.kind !== 'thinking' || !last.isOpen) return;
    if (isTold) this.#reaches(last);
    last.isOpen = false;
    last.untilMs = atMs ?? last.untilMs;
  }

  #called(event: JsonObject, atMs: number | null): void {
    const callId = idIn(event['call_id']);
    const described = describedTool(event['tool_call'], callId);
    const isEnd = event['subtype'] === 'completed';
    const known = this.#calls.get(callId);
    this.#spoken.segment();
    if (known === undefined) {
      const slot: Slot & { kind: 'tool' } = {
        kind: 'tool',
        tool: described.tool,
        state: isEnd ? (described.hasFailed ? 'failed' : 'done') : 'open',
        sinceMs: isEnd ? null : atMs,
        untilMs: isEnd ? atMs : null,
      };
      if (callId !== '' && !isEnd) this.#opened(callId, slot);
      this.#add(slot);
      return;
    }
    if (!isEnd) return;
    this.#calls.delete(callId);
    known.state = described.hasFailed ? 'failed' : 'done';
    known.untilMs = atMs;
    this.#reaches(known);
    this.#chars += described.tool.output.length;
    // The end tells more, unless its line was cut before the arguments.
    known.tool =
      described.tool.subject === '' ? { ...described.tool, ...nameOf(known.tool) } : described.tool;
  }

  #opened(callId: string, slot: Slot & { kind: 'tool' }): void {
    this.#calls.set(callId, slot);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > OPEN_CALLS_MAX && oldest !== undefined) this.#calls.delete(oldest);
  }

  #ended(event: JsonObject): void {
    const text = textIn(event['result']);
    this.#add({
      kind: 'result',
      entry: {
        kind: 'result',
        isGood: event['subtype'] === 'success' && (event['is_error'] ?? false) === false,
        text: this.#spoken.hasSaid(text) ? '' : bounded(text),
        durationMs: numberIn(event['duration_ms']),
        tokens: isJsonObject(event['usage']) ? tokensOf(event['usage']) : null,
      },
    });
  }

  #plain({ source, text }: ConversationLine): void {
    if (text.trim() === '') return;
    const last = this.#slots.at(-1);
    if (last?.kind === 'plain' && last.source === source) {
      if (last.text.length <= TEXT_MAX_CHARS) this.#longer(last, bounded(`${last.text}\n${text}`));
    } else this.#add({ kind: 'plain', source, text: bounded(text) });
  }
}

function isSaid(slot: Slot): boolean {
  return slot.kind !== 'text' || slot.text.trim() !== '';
}

function entryOf(slot: Slot): ConversationEntry {
  switch (slot.kind) {
    case 'thinking':
      return { kind: 'thinking', text: slot.text, durationMs: between(slot.sinceMs, slot.untilMs) };
    case 'tool':
      return {
        kind: 'tool',
        ...slot.tool,
        state: slot.state,
        durationMs: between(slot.sinceMs, slot.untilMs),
      };
    case 'result':
      return slot.entry;
    case 'plain':
      return { kind: 'plain', source: slot.source, text: slot.text };
    case 'prompt':
    case 'text':
      return { kind: slot.kind, text: slot.text };
  }
}

function nameOf(tool: DescribedTool): Pick<DescribedTool, 'tool' | 'name' | 'subject' | 'detail'> {
  return { tool: tool.tool, name: tool.name, subject: tool.subject, detail: tool.detail };
}

function tokensOf(usage: JsonObject): ConversationTokens {
  return {
    input: numberIn(usage['inputTokens']),
    output: numberIn(usage['outputTokens']),
    cacheRead: numberIn(usage['cacheReadTokens']),
    cacheWrite: numberIn(usage['cacheWriteTokens']),
  };
}

function bounded(text: string): string {
  return cutCopy(text, TEXT_MAX_CHARS);
}
function charsOf(slot: Slot): number {
  if (slot.kind === 'result') return slot.entry.text.length;
  if (slot.kind !== 'tool') return slot.text.length;
  const { output, subject, detail, name, callId } = slot.tool;
  return output.length + subject.length + detail.length + name.length + callId.length;
}
function between(sinceMs: number | null, untilMs: number | null): number | null {
  return sinceMs === null || untilMs === null ? null : Math.max(0, untilMs - sinceMs);
}
