/**
 * Colours beyond the sixteen tokens, legible on both surfaces. The 256 palette and true colour are kept where
 * they reach 4.5:1 against the log's least favourable row, else moved in lightness until they do.
 */
import { TRUE_COLOUR } from './ansi-style.ts';

/** Contrast that text keeps against its ground (WCAG 1.4.3). */
const LEAST_CONTRAST = 4.5;
/** `--log-row-selected` and `--ansi-on-bg` of tokens.css, light and dark. */
const ROW_LIGHT = 0xeef3da;
const ROW_DARK = 0x20250f;
const ON_BG_LIGHT = 0x1d1f19;
const ON_BG_DARK = 0xf4f6f2;
const STEPS = 40;
const CUBE = [0, 95, 135, 175, 215, 255];
const FIRST_OF_CUBE = 16;
const FIRST_GREY = 232;
/** A hostile log can name sixteen million colours. */
const MAX_KEPT = 2_048;

const asText = new Map<number, string>();
const asGround = new Map<number, string>();

/** A CSS colour for text in `colour` (16–255, or TRUE_COLOUR + rgb). */
export function textColour(colour: number): string {
  return kept(asText, colour, () => {
    const rgb = rgbOf(colour);
    return lightDark(moved(rgb, ROW_LIGHT, BLACK), moved(rgb, ROW_DARK, WHITE));
  });
}

/** A CSS colour for the ground under text in `--ansi-on-bg`. */
export function groundColour(colour: number): string {
  return kept(asGround, colour, () => {
    const rgb = rgbOf(colour);
    return lightDark(moved(rgb, ON_BG_LIGHT, WHITE), moved(rgb, ON_BG_DARK, BLACK));
  });
}

export function rgbOf(colour: number): number {
  if (colour >= TRUE_COLOUR) return colour - TRUE_COLOUR;
  if (colour >= FIRST_GREY) return 0x010101 * (8 + 10 * (colour - FIRST_GREY));
  const index = colour - FIRST_OF_CUBE;
  const part = (divisor: number): number => CUBE[Math.floor(index / divisor) % 6] ?? 0;
  return (part(36) << 16) | (part(6) << 8) | part(1);
}

/** Contrast ratio of two colours, 1 to 21. */
export function contrast(one: number, other: number): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const BLACK = 0x000000;
const WHITE = 0xffffff;

/** The nearest mix of `rgb` with `towards` that is legible against `against`. */
export function moved(rgb: number, against: number, towards: number): number {
  for (let step = 0; step < STEPS; step++) {
    const mix = mixed(rgb, towards, step / STEPS);
    if (contrast(mix, against) >= LEAST_CONTRAST) return mix;
  }
  return towards;
}

function mixed(from: number, to: number, share: number): number {
  const channel = (shift: number): number => {
    const start = (from >> shift) & 0xff;
    return Math.round(start + (((to >> shift) & 0xff) - start) * share) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}

function luminance(rgb: number): number {
  const channel = (shift: number): number => {
    const value = ((rgb >> shift) & 0xff) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
}

function lightDark(light: number, dark: number): string {
  return `light-dark(${hex(light)}, ${hex(dark)})`;
}

function hex(rgb: number): string {
  return `#${rgb.toString(16).padStart(6, '0')}`;
}

function kept(map: Map<number, string>, colour: number, make: () => string): string {
  const known = map.get(colour);
  if (known !== undefined) return known;
  if (map.size >= MAX_KEPT) map.clear();
  const made = make();
  map.set(colour, made);
  return made;
}
