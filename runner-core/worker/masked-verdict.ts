/** What leaves a worker of a verdict: texts of engines, registries and commands reach it, and no part unmasked. */
import type { JsonObject } from '../model/json.ts';
import type { Verdict } from '../model/outcome.ts';
import { reason } from '../model/reason.ts';

export interface TextMask {
  maskText(text: string): string;
  maskJson(value: JsonObject): JsonObject;
}

export function maskedVerdict(verdict: Verdict, mask: TextMask): Verdict {
  const { reason: why, result } = verdict;
  const facts = Object.entries(why?.facts ?? {});
  return {
    ...verdict,
    error: mask.maskText(verdict.error),
    result: result === null ? null : mask.maskJson(result),
    reason:
      why === null
        ? null
        : reason(why.code, Object.fromEntries(facts.map(([k, text]) => [k, mask.maskText(text)]))),
  };
}
