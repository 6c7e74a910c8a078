import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrast, groundColour, rgbOf, textColour } from '../../../renderer/log/ansi-colour.ts';
import { TRUE_COLOUR } from '../../../renderer/log/ansi-style.ts';

const PAIR = /^light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)$/;

function pair(css: string): [number, number] {
  const [, light = '', dark = ''] = PAIR.exec(css) ?? [];
  return [parseInt(light, 16), parseInt(dark, 16)];
}

const anyColour = fc.oneof(
  fc.integer({ min: 16, max: 255 }),
  fc.integer({ min: 0, max: 0xffffff }).map((rgb) => TRUE_COLOUR + rgb),
);

test('text of any colour is legible on the rows of both themes', () => {
  fc.assert(
    fc.property(anyColour, (colour) => {
      const [light, dark] = pair(textColour(colour));
      expect(contrast(light, 0xeef3da)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(dark, 0x20250f)).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test('the text on a ground of any colour is legible in both themes', () => {
  fc.assert(
    fc.property(anyColour, (colour) => {
      const [light, dark] = pair(groundColour(colour));
      expect(contrast(light, 0x1d1f19)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(dark, 0xf4f6f2)).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test('a colour that is legible is kept', () => {
  const darkRed = 0x8b0000;
  expect(pair(textColour(TRUE_COLOUR + darkRed))[0]).toBe(darkRed);
});

test.each([
  [16, 0x000000],
  [196, 0xff0000],
  [231, 0xffffff],
  [232, 0x080808],
  [255, 0xeeeeee],
])('palette colour %i is the one of xterm', (colour, rgb) => {
  expect(rgbOf(colour)).toBe(rgb);
});
