/** Feeds records of a log to a conversation: lines of several records are put together again, up to a bound. */
import {
  ConversationBuilder,
  type ConversationLine,
} from '../../../runner-core/model/conversation.ts';
import { RECORD_FLAG, type LogRecord } from '../../../runner-core/model/log-chunk.ts';

/** A longer line is read as far as it goes; its record holds 64 KiB each. */
const LINE_MAX_CHARS = 1_048_576;
const OURS = '[runner] ';

type Source = 'stdout' | 'stderr';

export class LogConversation {
  readonly #builder: ConversationBuilder;
  readonly #each: (line: ConversationLine) => void;
  readonly #open: Record<Source, { text: string; atMs: number; first: number | null } | null> = {
    stdout: null,
    stderr: null,
  };

  constructor(
    builder: ConversationBuilder,
    each: (line: ConversationLine) => void = () => undefined,
  ) {
    this.#builder = builder;
    this.#each = each;
  }

  /** @param record its number in the log, from 0; null where the log is not kept */
  push({ flags, text, atMs }: LogRecord, record: number | null = null): void {
    const source: Source = (flags & RECORD_FLAG.stderr) === 0 ? 'stdout' : 'stderr';
    const open = (flags & RECORD_FLAG.continuation) === 0 ? null : this.#open[source];
    const room = LINE_MAX_CHARS - (open?.text.length ?? 0);
    const line = {
      text: `${open?.text ?? ''}${room > 0 ? text.slice(0, room) : ''}`,
      atMs: open?.atMs ?? atMs,
      first: open?.first ?? record,
    };
    if ((flags & RECORD_FLAG.more) !== 0) {
      this.#open[source] = line;
      return;
    }
    this.#open[source] = null;
    this.#line({
      text: line.text,
      source,
      atMs: line.atMs,
      ...(record === null ? {} : { records: { first: line.first ?? record, last: record } }),
    });
  }

  #line(printed: ConversationLine): void {
    const isOurs = printed.source === 'stdout' && printed.text.startsWith(OURS);
    const line: ConversationLine = isOurs
      ? { ...printed, text: printed.text.slice(OURS.length), source: 'runner' }
      : printed;
    this.#builder.push(line);
    this.#each(line);
  }
}
