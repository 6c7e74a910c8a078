/**
 * A host job's events as something to read. The host makes it, of the stored log and with bounded memory, since a log may
 * hold hundreds of megabytes of partial events that come to a few hundred entries; the page gets the entries it shows.
 */
import * as z from 'zod';
import { TOOL_KINDS } from '../../runner-core/model/tool-call.ts';

const count = z.number().int().nonnegative();
const durationMs = z.number().nullable();

export const conversationEntrySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('prompt'), text: z.string() }),
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('thinking'), text: z.string(), durationMs }),
  z.object({
    kind: z.literal('tool'),
    callId: z.string(),
    tool: z.enum(TOOL_KINDS),
    /** As Cursor names it; for `other`. */
    name: z.string(),
    /** Path, command, pattern; one line; '' for none. */
    subject: z.string(),
    /** Where a search looks; one line; '' for none. */
    detail: z.string(),
    output: z.string(),
    exitCode: z.number().nullable(),
    lines: z.number().nullable(),
    /** A shell that goes on after the call. */
    isBackground: z.boolean(),
    /** `open`: no end of it was told. In a job that is over it never will be. */
    state: z.enum(['open', 'done', 'failed']),
    durationMs,
  }),
  /** Lines that are no events, neighbours joined. `runner`: this app's own. */
  z.object({
    kind: z.literal('plain'),
    source: z.enum(['stdout', 'stderr', 'runner']),
    text: z.string(),
  }),
  z.object({
    kind: z.literal('result'),
    isGood: z.boolean(),
    /** '' where the agent's last words say the same. */
    text: z.string(),
    durationMs,
    tokens: z
      .object({
        input: z.number().nullable(),
        output: z.number().nullable(),
        cacheRead: z.number().nullable(),
        cacheWrite: z.number().nullable(),
      })
      .nullable(),
  }),
]);
export type ConversationEntryView = z.infer<typeof conversationEntrySchema>;

/** Records of the log, both ends among them: from the line an entry began with to the last that told of it. */
export const recordRangeSchema = z.object({ first: count, last: count });
export type RecordRangeView = z.infer<typeof recordRangeSchema>;

/** The most entries one `job.conversation` gives. */
export const CONVERSATION_PAGE_MAX = 200;

export const conversationHeadSchema = z.object({
  /** As Cursor calls it; null until it says so. */
  model: z.string().nullable(),
  sessionId: z.string().nullable(),
  /** False: there is no event at all, so there is nothing to read but the log. */
  hasEvents: z.boolean(),
  /** Entries so far. The last ones may still change, and a tool call anywhere when it ends. */
  total: count,
  /** Entries that were left out because there are too many; they are in the log. */
  leftOut: count,
  /** Changes whenever any entry did. */
  revision: count,
  /** Records of the log that were read, of how many there are: a long log is read bit by bit. */
  readRecords: count,
  records: count,
  /** Nothing more will come. */
  complete: z.boolean(),
});
export type ConversationHead = z.infer<typeof conversationHeadSchema>;
