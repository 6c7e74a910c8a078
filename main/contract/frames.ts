/** Frames on the page's socket. Text, JSON, at most MAX_FRAME_BYTES from the page. */
import * as z from 'zod';

export const MAX_FRAME_BYTES = 1_048_576;
/** The page has this long to authenticate. */
export const AUTHENTICATE_WITHIN_MS = 5_000;
export const SESSION_PATH = '/api/session';
export const SOCKET_PATH = '/api/socket';

const id = z.number().int().nonnegative();

/** What is wrong, for a person: `remedy` is one thing to do. */
export const problemSchema = z.object({
  code: z.string(),
  message: z.string(),
  remedy: z.string().nullable(),
  /** Path of the field at fault in bad input. */
  field: z.string().nullable(),
});
export type Problem = z.infer<typeof problemSchema>;

export const pageFrameSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('authenticate'),
    token: z.string().max(200),
    contract: z.number().int(),
  }),
  z.strictObject({ kind: z.literal('request'), id, name: z.string().max(60), input: z.unknown() }),
  z.strictObject({
    kind: z.literal('watch'),
    id,
    topic: z.string().max(60),
    parameters: z.unknown(),
  }),
  z.strictObject({ kind: z.literal('unwatch'), id }),
  /** For a stream: the page took a value and may be sent the next. */
  z.strictObject({ kind: z.literal('taken'), id }),
]);
export type PageFrame = z.infer<typeof pageFrameSchema>;

export const hostFrameSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), contract: z.number().int(), version: z.string() }),
  /** The socket closes after it; `contract_mismatch` makes a page reload, `unauthenticated` sign in again. */
  z.object({ kind: z.literal('refused'), problem: problemSchema, contract: z.number().int() }),
  z.object({ kind: z.literal('result'), id, result: z.unknown() }),
  z.object({ kind: z.literal('failed'), id, problem: problemSchema }),
  z.object({ kind: z.literal('value'), id, value: z.unknown() }),
]);
export type HostFrame = z.infer<typeof hostFrameSchema>;

/** `POST SESSION_PATH`: the code from the address for a token. */
export const signInSchema = z.strictObject({ code: z.string().max(200) });
export const signedInSchema = z.object({ token: z.string() });
