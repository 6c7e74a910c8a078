/**
 * What a terminal would know about the look of text at one point of a log, and how `ESC [ … m` changes it.
 * Owns styles as values; which colour is drawn for one is in `ansi-colour.ts`.
 */
export interface AnsiStyle {
  /** DEFAULT_COLOUR, 0–255 of the palette, or TRUE_COLOUR + 0xRRGGBB. */
  readonly fg: number;
  readonly bg: number;
  /** Bits of ATTRIBUTE. */
  readonly attributes: number;
}

export const DEFAULT_COLOUR = -1;
export const TRUE_COLOUR = 0x1000000;
export const ATTRIBUTE = {
  bold: 1,
  dim: 2,
  italic: 4,
  underline: 8,
  inverse: 16,
  strike: 32,
} as const;
export const PLAIN_STYLE: AnsiStyle = { fg: DEFAULT_COLOUR, bg: DEFAULT_COLOUR, attributes: 0 };

const SET: Readonly<Record<number, number>> = {
  1: ATTRIBUTE.bold,
  2: ATTRIBUTE.dim,
  3: ATTRIBUTE.italic,
  4: ATTRIBUTE.underline,
  7: ATTRIBUTE.inverse,
  9: ATTRIBUTE.strike,
  21: ATTRIBUTE.underline,
};
const CLEARED: Readonly<Record<number, number>> = {
  22: ATTRIBUTE.bold | ATTRIBUTE.dim,
  23: ATTRIBUTE.italic,
  24: ATTRIBUTE.underline,
  27: ATTRIBUTE.inverse,
  29: ATTRIBUTE.strike,
};

/**
 * The style after `ESC [ parameters m`. What is unknown is skipped. *Conceal* (8) is skipped on purpose: a log
 * must not hide its own text.
 */
export function applySgr(style: AnsiStyle, parameters: string): AnsiStyle {
  let { fg, bg, attributes } = style;
  const groups = parameters === '' ? ['0'] : parameters.split(';');
  for (let at = 0; at < groups.length; at++) {
    const parts = (groups[at] ?? '').split(':');
    const code = number(parts[0]);
    if (code === 0) ({ fg, bg, attributes } = PLAIN_STYLE);
    else if (code === 4 && parts[1] === '0') attributes &= ~ATTRIBUTE.underline;
    else if (SET[code] !== undefined) attributes |= SET[code];
    else if (CLEARED[code] !== undefined) attributes &= ~CLEARED[code];
    else if (code === 38 || code === 48) {
      const inGroup = parts.length > 1;
      const { colour, used } = inGroup
        ? extended(parts.length > 5 ? [...parts.slice(1, 2), ...parts.slice(3)] : parts.slice(1))
        : extended(groups.slice(at + 1, at + 5));
      if (!inGroup) at += used;
      if (colour !== null && code === 38) fg = colour;
      if (colour !== null && code === 48) bg = colour;
    } else if (code === 39) fg = DEFAULT_COLOUR;
    else if (code === 49) bg = DEFAULT_COLOUR;
    else if (code >= 30 && code <= 37) fg = code - 30;
    else if (code >= 40 && code <= 47) bg = code - 40;
    else if (code >= 90 && code <= 97) fg = code - 82;
    else if (code >= 100 && code <= 107) bg = code - 92;
  }
  const same = fg === style.fg && bg === style.bg && attributes === style.attributes;
  return same ? style : { fg, bg, attributes };
}

/** `5;n` or `2;r;g;b`; `used` is how many parameters belonged to it. */
function extended(rest: readonly string[]): { colour: number | null; used: number } {
  const [mode, first, second, third] = rest.map(number);
  if (mode === 5) return { colour: inByte(first) ? (first ?? null) : null, used: 2 };
  if (mode !== 2) return { colour: null, used: 1 };
  const complete = inByte(first) && inByte(second) && inByte(third);
  const rgb = ((first ?? 0) << 16) | ((second ?? 0) << 8) | (third ?? 0);
  return { colour: complete ? TRUE_COLOUR + rgb : null, used: 4 };
}

function number(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  return /^\d{1,3}$/.test(text) ? Number(text) : -1;
}

function inByte(value: number | undefined): boolean {
  return value !== undefined && value >= 0 && value <= 255;
}

/** Small numbers for styles, so that a row can keep the one it starts with. */
export class StyleTable {
  readonly #styles: AnsiStyle[] = [PLAIN_STYLE];
  readonly #ids = new Map<string, number>([[keyOf(PLAIN_STYLE), 0]]);

  /** 0 is the plain style, and what one gets when a hostile log has made more styles than fit a row's two bytes. */
  idOf(style: AnsiStyle): number {
    if (style === PLAIN_STYLE) return 0;
    const key = keyOf(style);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    if (this.#styles.length > MAX_STYLE_ID) return 0;
    this.#ids.set(key, this.#styles.length);
    return this.#styles.push(style) - 1;
  }

  style(id: number): AnsiStyle {
    return this.#styles[id] ?? PLAIN_STYLE;
  }
}

const MAX_STYLE_ID = 4_095;

function keyOf(style: AnsiStyle): string {
  return `${style.fg} ${style.bg} ${style.attributes}`;
}
