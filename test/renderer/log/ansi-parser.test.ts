import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AnsiParser,
  MAX_SEQUENCE_CHARS,
  plainText,
  type AnsiRun,
} from '../../../renderer/log/ansi-parser.ts';
import { ATTRIBUTE, PLAIN_STYLE, TRUE_COLOUR } from '../../../renderer/log/ansi-style.ts';

const ESC = '\u001b';
const red = { ...PLAIN_STYLE, fg: 1 };

function parse(...pieces: readonly string[]): AnsiRun[] {
  const parser = new AnsiParser();
  return joined([...pieces.flatMap((piece) => parser.feed(piece)), ...parser.end()]);
}

/** Neighbours of one style as one run. */
function joined(runs: readonly AnsiRun[]): AnsiRun[] {
  const result: AnsiRun[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last !== undefined && JSON.stringify(last.style) === JSON.stringify(run.style))
      result[result.length - 1] = { text: last.text + run.text, style: run.style };
    else result.push(run);
  }
  return result;
}

/** Text as a hostile job would print it: sequences whole and broken, and what is near them. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.constantFrom(
        ESC,
        `${ESC}[`,
        `${ESC}[31m`,
        `${ESC}[38;5;9m`,
        `${ESC}[38;2;1;2;3m`,
        `${ESC}[0m`,
        `${ESC}]0;title`,
        `${ESC}]8;;x${ESC}\\`,
        '\u0007',
        `${ESC}\\`,
        `${ESC}P1`,
        `${ESC}(B`,
        ';;;;m',
        '[2K',
        '\u009b31m',
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

describe('text', () => {
  test('without escapes is unchanged', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const plain = text.replaceAll(ESC, '');
        expect(
          parse(plain)
            .map((run) => run.text)
            .join(''),
        ).toBe(plain);
      }),
    );
  });

  test('says the same however it is cut', () => {
    fc.assert(
      fc.property(hostile, fc.array(fc.nat(200), { maxLength: 6 }), (text, cuts) => {
        const places = [...cuts.map((cut) => cut % (text.length + 1)), 0, text.length].sort(
          (a, b) => a - b,
        );
        const pieces = places.slice(1).map((to, index) => text.slice(places[index], to));
        expect(parse(...pieces)).toEqual(parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test('keeps every character outside complete sequences, in order', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        let at = 0;
        for (const char of plainText(text)) {
          at = text.indexOf(char, at);
          expect(at).toBeGreaterThanOrEqual(0);
          at += char.length;
        }
      }),
    );
  });
});

describe('sequences', () => {
  test('that set a colour hold until they are taken back', () => {
    expect(parse(`a${ESC}[31mb${ESC}[39mc`)).toEqual([
      { text: 'a', style: PLAIN_STYLE },
      { text: 'b', style: red },
      { text: 'c', style: PLAIN_STYLE },
    ]);
  });

  test('of all kinds that set no colour are dropped', () => {
    const dropped = [
      '[2K',
      '[?25l',
      '[1;1H',
      ']0;t\u0007',
      `]8;;http://x${ESC}\\`,
      `P1q${ESC}\\`,
      '(B',
      '7',
      '=',
      '[>4;2m',
    ];
    for (const sequence of dropped)
      expect(parse(`a${ESC}${sequence}b`)).toEqual([{ text: 'ab', style: PLAIN_STYLE }]);
  });

  test('that never end hide nothing', () => {
    const text = `${ESC}]0;rm -rf /`;
    expect(plainText(text)).toBe(text);
  });

  test('that are too long are text, as one whole', () => {
    const text = `${ESC}]0;${'x'.repeat(MAX_SEQUENCE_CHARS)}\u0007tail`;
    expect(plainText(text)).toBe(text);
  });

  test('cannot hide a colour inside a broken one', () => {
    expect(parse(`${ESC}]0;x${ESC}[31mred`)).toEqual([
      { text: `${ESC}]0;x`, style: PLAIN_STYLE },
      { text: 'red', style: red },
    ]);
  });

  test('of one megabyte are read in linear time', () => {
    const text = `${ESC}]`.repeat(500_000);
    const startedMs = performance.now();
    expect(plainText(text)).toHaveLength(text.length);
    expect(performance.now() - startedMs).toBeLessThan(4_000);
  });
});

describe('colour parameters', () => {
  const styleAfter = (parameters: string): unknown => {
    const parser = new AnsiParser();
    parser.feed(`${ESC}[${parameters}m`);
    return parser.style;
  };

  test.each([
    ['', PLAIN_STYLE],
    ['1;31', { ...red, attributes: ATTRIBUTE.bold }],
    ['91', { ...PLAIN_STYLE, fg: 9 }],
    ['107', { ...PLAIN_STYLE, bg: 15 }],
    ['38;5;208', { ...PLAIN_STYLE, fg: 208 }],
    ['48;5;16;1', { ...PLAIN_STYLE, bg: 16, attributes: ATTRIBUTE.bold }],
    ['38;2;255;128;0', { ...PLAIN_STYLE, fg: TRUE_COLOUR + 0xff8000 }],
    ['38:2::255:128:0', { ...PLAIN_STYLE, fg: TRUE_COLOUR + 0xff8000 }],
    ['38:2:255:128:0', { ...PLAIN_STYLE, fg: TRUE_COLOUR + 0xff8000 }],
    ['38;5;256', PLAIN_STYLE],
    ['38;2;300;0;0', PLAIN_STYLE],
    ['38;5', PLAIN_STYLE],
    ['4:3', { ...PLAIN_STYLE, attributes: ATTRIBUTE.underline }],
    ['4:0', PLAIN_STYLE],
    ['8', PLAIN_STYLE],
    ['999999999999', PLAIN_STYLE],
    ['31;0', PLAIN_STYLE],
  ])('%s', (parameters, style) => {
    expect(styleAfter(parameters)).toEqual(style);
  });
});
