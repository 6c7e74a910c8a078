/** Interface icons (16 px grid) from one file of symbols, and status glyphs. Always beside a word. */
import type { JSX } from 'react';
import { GLYPH_SHAPES } from './glyph-shapes.tsx';
import sprite from '../../resources/icons/ui-sprite.svg';

export interface IconProps {
  /** Without its prefix: `search` for the symbol `i-search`. */
  readonly name: string;
  readonly size?: number;
}

export function Icon({ name, size = 16 }: IconProps): JSX.Element {
  return (
    <svg className="i" width={size} height={size} aria-hidden="true">
      <use href={`${sprite}#i-${name}`} />
    </svg>
  );
}

export function Glyph({ name, size = 14 }: IconProps): JSX.Element {
  return (
    <svg className="g" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {GLYPH_SHAPES[name]}
    </svg>
  );
}
