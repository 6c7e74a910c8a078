import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainText } from '../../../renderer/log/ansi-parser.ts';
import { PLAIN_STYLE } from '../../../renderer/log/ansi-style.ts';
import {
  MAX_COLUMNS,
  rowContent,
  safeLink,
  type Hit,
  type RowPiece,
} from '../../../renderer/log/row-pieces.ts';

const pieces = (text: string, hits: readonly Hit[] = [], expanded = false): readonly RowPiece[] =>
  rowContent({ text, style: PLAIN_STYLE, pending: '', more: false }, hits, expanded).pieces;
const kinds = (text: string): [string, string][] =>
  pieces(text).map((piece) => [piece.kind, piece.kind === 'control' ? piece.name : piece.text]);
const links = (text: string): (string | null)[] =>
  pieces(text)
    .map((piece) => piece.link)
    .filter((link) => link !== null);

test('whatever a line holds, its pieces are its text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const shown = pieces(text, [], true)
        .map((piece) => piece.text)
        .join('');
      expect(shown).toBe(plainText(text).replace(/\r$/, ''));
    }),
  );
});

test('characters that turn or hide text are boxed, each run once', () => {
  expect(kinds('a\u202eb\u0000\u0000\u0000c\u200b')).toEqual([
    ['text', 'a'],
    ['control', 'RLO'],
    ['text', 'b'],
    ['control', 'NUL ×3'],
    ['text', 'c'],
    ['control', 'ZWSP'],
  ]);
});

test('no piece of text holds a control or bidirectional character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const piece of pieces(text))
        if (piece.kind === 'text')
          expect(piece.text).not.toMatch(
            /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/,
          );
    }),
  );
});

test('a mask is a chip only where it stands alone', () => {
  expect(kinds('token=*** ok')).toEqual([
    ['text', 'token='],
    ['mask', '***'],
    ['text', ' ok'],
  ]);
  expect(kinds('*****')).toEqual([['text', '*****']]);
});

test('only http and https addresses are links, without what ends the sentence', () => {
  expect(
    links(
      'see https://a.example/x?y=1. (http://b.example) ftp://c javascript:alert(1) data:text/html,x',
    ),
  ).toEqual(['https://a.example/x?y=1', 'http://b.example/']);
});

test('an address ends before a character that would turn it around', () => {
  expect(links('https://good.example\u202emoc.live')).toEqual(['https://good.example/']);
});

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'x', 'https://', ''])(
  'is no link: %s',
  (address) => {
    expect(safeLink(address)).toBeNull();
  },
);

test('a long line is cut, and whole when it is expanded', () => {
  const text = 'x'.repeat(60_000);
  const source = { text, style: PLAIN_STYLE, pending: '', more: false };
  const cut = rowContent(source, [], false);
  expect([cut.cut, cut.pieces.map((piece) => piece.text).join('').length]).toEqual([
    true,
    MAX_COLUMNS,
  ]);
  const whole = rowContent(source, [], true);
  expect([whole.cut, whole.pieces.map((piece) => piece.text).join('').length]).toEqual([
    false,
    60_000,
  ]);
});

test('a cut never halves a character', () => {
  const text = `${'x'.repeat(MAX_COLUMNS - 1)}😀😀`;
  const shown = pieces(text)
    .map((piece) => piece.text)
    .join('');
  expect(shown).toBe('x'.repeat(MAX_COLUMNS - 1));
});

test('a line of nothing but control characters stays a bounded number of elements', () => {
  expect(pieces('\u0000\u0001'.repeat(30_000)).length).toBeLessThanOrEqual(400);
});

test('a hit across colours is marked in every piece it covers', () => {
  const found = pieces('re\u001b[31mtry', [{ start: 0, end: 5, current: true }]);
  expect(found.map(({ text, hit }) => [text, hit])).toEqual([
    ['re', 'current'],
    ['try', 'current'],
  ]);
});

test('an open sequence belongs to the record after, where the line goes on', () => {
  const source = { text: 'a\u001b[3', style: PLAIN_STYLE, pending: '', more: true };
  expect(rowContent(source, [], false).pieces.map((piece) => piece.text)).toEqual(['a']);
  const next = { text: '1mred', style: PLAIN_STYLE, pending: '\u001b[3', more: false };
  expect(rowContent(next, [], false).pieces.map(({ text, style }) => [text, style.fg])).toEqual([
    ['red', 1],
  ]);
});
