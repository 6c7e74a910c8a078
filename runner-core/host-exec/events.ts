/** What the events of a Cursor run have told so far: the facts its verdict is made of. Pure data. */

export interface TokenUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
}

/** A `result` event. */
export interface TerminalEvent {
  /** null: missing, or no text. Only `success` is success. */
  readonly subtype: string | null;
  /** `wrong_type`: present and neither true nor false, which is no success either. */
  readonly isError: boolean | 'wrong_type';
  /** The start of the text of `result`, at most 512 characters; '' where there is none. For showing and for the reason. */
  readonly text: string;
  readonly requestId: string | null;
  readonly durationMs: number | null;
  readonly usage: TokenUsage | null;
}

export interface ObservedEvents {
  readonly sessionId: string | null;
  /** As Cursor reports it; never what was asked for. */
  readonly model: string | null;
  readonly resultCount: number;
  /** The last one. */
  readonly terminal: TerminalEvent | null;
  readonly sawInit: boolean;
  /** Events of any kind. */
  readonly events: number;
  /** A shell was left running in the background: the CLI will not end, nor give its result, before it does. */
  readonly backgroundShell: boolean;
  readonly openToolCalls: number;
  /** The end of what stdout said that was no event, at most 2 KiB of text. */
  readonly plainTail: string;
}

/** Whether exactly one terminal event was seen and it says success. */
export function isGoodResult(observed: ObservedEvents): boolean {
  const { terminal, resultCount } = observed;
  return resultCount === 1 && terminal?.subtype === 'success' && terminal.isError === false;
}
