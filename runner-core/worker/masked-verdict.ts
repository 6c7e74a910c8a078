/** What leaves a worker of a verdict: texts of engines, registries and commands reach it, and no part unmasked. */
import { plainText } from '../host-exec/line-tail.ts';
import type { TextMask } from '../host-exec/text-mask.ts';
import type { HostEnd } from '../host-exec/verdict.ts';
import type { JsonObject } from '../model/json.ts';
import type { Verdict } from '../model/outcome.ts';
import { reason } from '../model/reason.ts';

export interface VerdictMask {
  maskText(text: string): string;
  maskJson(value: JsonObject): JsonObject;
}

export function maskedVerdict(verdict: Verdict, mask: VerdictMask): Verdict {
  const { reason: why, result } = verdict;
  const facts = Object.entries(why?.facts ?? {});
  return {
    ...verdict,
    error: maskedError(verdict, mask),
    result: result === null ? null : mask.maskJson(result),
    reason:
      why === null
        ? null
        : reason(why.code, Object.fromEntries(facts.map(([k, text]) => [k, mask.maskText(text)]))),
  };
}

/** Its code is a word of ours that others go by; a value of the owner's that is part of it hides nothing there. */
function maskedError({ error, reason: why }: Verdict, mask: VerdictMask): string {
  const head = why === null ? '' : `${why.code}: `;
  return error.startsWith(head)
    ? `${head}${mask.maskText(error.slice(head.length))}`
    : mask.maskText(error);
}

type EndTexts = Pick<HostEnd, 'startProblem' | 'stderrTail'>;

/** The end of a host job with its texts masked whole, before its verdict takes places out of them and cuts them. */
export function maskedEnd<End extends EndTexts>(end: End, mask: TextMask): End {
  const { startProblem, stderrTail } = end;
  const plain = (text: string): string => plainText(text, mask);
  return {
    ...end,
    startProblem:
      startProblem === null ? null : { ...startProblem, detail: plain(startProblem.detail) },
    stderrTail: plain(stderrTail),
  };
}
