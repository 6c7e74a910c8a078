/**
 * What Cursor's own words mean: the few refusals it tells in prose, recognised by whole phrases at the places where it
 * says them. Warnings of Node, which may hold any word, are not Cursor's and are left out first.
 */
import type { ReasonCode } from '../model/reason.ts';
import type { ObservedEvents } from './events.ts';
import { cutText } from './line-tail.ts';
import { withoutEscapes } from './without-escapes.ts';

const LAST_WORDS_MAX_CHARS = 160;

/** `(node:1234) …`, its second line, and the lines of a stack. */
const NODE_WARNING = /^\(node:\d+\)|^\(Use `node --trace|^(?:\w*Warning): |^\[DEP\d+\]/;
const STACK_LINE = /^\s+at (?:\S+ )?\(?\S+:\d+/;
/** What may stand in front of a phrase: signs, and words such as `Error:` or `ConnectError:`. */
const LEAD = String.raw`^[^\p{L}\p{N}]*(?:(?:\w*Error|Failed|Fatal)\b[^\p{L}\p{N}]*)*(?:\[\w+\]\s*)?`;
const says = (...phrases: readonly string[]): RegExp =>
  new RegExp(`${LEAD}(?:${phrases.join('|')})`, 'iu');

type SaidCode = Extract<
  ReasonCode,
  | 'host_exec_trust_refused'
  | 'host_exec_not_signed_in'
  | 'host_exec_model_refused'
  | 'host_exec_rate_limited'
  | 'host_exec_directory_failed'
>;
const PHRASES: readonly (readonly [SaidCode, RegExp])[] = [
  [
    'host_exec_trust_refused',
    says(
      'workspace trust required',
      'workspace is not trusted',
      'workspace not trusted',
      'do you trust the (?:contents|files|authors)',
      '(?:pass|use) --trust',
      'this (?:workspace|directory|folder) is not trusted',
    ),
  ],
  [
    'host_exec_not_signed_in',
    says(
      '(?:you are |you.re )?not (?:logged|signed) in',
      '(?:you are |you.re )?not authenticated',
      'authentication required',
      'unauthenticated',
      'please (?:log|sign) ?in',
      String.raw`please run .{0,3}(?:cursor-)?agent login`,
      '(?:the provided )?api key (?:is )?invalid',
      'invalid api key',
      'your session (?:has )?expired',
    ),
  ],
  [
    'host_exec_rate_limited',
    says(
      String.raw`you.ve (?:hit|reached|exceeded) your (?:\w+ )?(?:limit|quota)`,
      String.raw`you have (?:hit|reached|exceeded) your (?:\w+ )?(?:limit|quota)`,
      String.raw`(?:rate|usage|spend(?:ing)?|request) limit (?:was |has been |is )?(?:reached|exceeded|hit)`,
      'rate.limited',
      'too many requests',
      String.raw`(?:http |status )?429\b`,
      'resource_exhausted',
      'quota exceeded',
    ),
  ],
  [
    'host_exec_model_refused',
    says(
      String.raw`cannot use (?:this|the) model`,
      '(?:unknown|invalid|unsupported) model',
      String.raw`(?:the )?(?:requested )?model [^\s]{1,160} (?:is )?not (?:available|found|supported|allowed|valid)`,
      String.raw`(?:the )?(?:requested )?model (?:is )?not (?:available|found|supported|allowed|valid)`,
    ),
  ],
  [
    'host_exec_directory_failed',
    says('ENOSPC', 'EDQUOT', 'EROFS', 'no space left on device', 'disk quota exceeded'),
  ],
];
const CONFIG_RACE = says(String.raw`(?:ENOENT|EPERM|EACCES|EBUSY): .*cli-config\.json`);

export interface SaidWords {
  readonly stderrTail: string;
  readonly observed: Pick<ObservedEvents, 'events' | 'plainTail' | 'sawInit' | 'terminal'>;
}

/** The refusal that Cursor's words tell; undefined where they tell none that is known. */
export function refusalSaid(said: SaidWords): SaidCode | undefined {
  const lines = cursorLines(said);
  for (const [code, phrases] of PHRASES) {
    // A run that got as far as its first event was trusted.
    if (code === 'host_exec_trust_refused' && said.observed.sawInit) continue;
    if (lines.some((line) => phrases.test(line))) return code;
  }
  return undefined;
}

/** A run that ended before its first event because two starts wrote Cursor's configuration at once. */
export function isConfigRace(said: SaidWords): boolean {
  return said.observed.events === 0 && cursorLines(said).some((line) => CONFIG_RACE.test(line));
}

/**
 * The last thing Cursor said, as one line; '' where it said nothing.
 *
 * @param bare takes out what the hearer is not told: before the words are cut, or half of it would stay
 */
export function lastWords(
  said: SaidWords,
  bare: (words: string) => string = (words) => words,
): string {
  const lines = cursorLines(said);
  const errors = lines.filter((line) => /^(?:\w*Error|Error|Fatal)\b/i.test(line));
  const words = bare((errors.at(-1) ?? lines.at(-1) ?? '').replace(/\p{Cc}+/gu, ' ').trim());
  return cutText(words, LAST_WORDS_MAX_CHARS).replace(/[.!…\s]+$/, '');
}

/** stderr without Node's warnings; what stdout said beside events where there were none; the text of a failed result. */
function cursorLines({ stderrTail, observed }: SaidWords): readonly string[] {
  const { terminal, events, plainTail } = observed;
  const failure = terminal !== null && terminal.isError !== false ? terminal.text : '';
  return [failure, events === 0 ? plainTail : '', stderrTail]
    .join('\n')
    .split(/\r?\n/)
    .map((line) => withoutEscapes(line).trimEnd())
    .filter((line) => line !== '' && !NODE_WARNING.test(line) && !STACK_LINE.test(line))
    .map((line) => line.trim());
}
