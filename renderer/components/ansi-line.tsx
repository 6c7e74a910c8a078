/** One short line of output with its basic colours, for previews. Text only: nothing in it becomes markup. */
import type { JSX } from 'react';
import { groundColour, textColour } from '../log/ansi-colour.ts';
import { AnsiParser } from '../log/ansi-parser.ts';
import { ATTRIBUTE, DEFAULT_COLOUR, type AnsiStyle } from '../log/ansi-style.ts';

/** More than any width shows. */
const MAX_CHARS = 400;

export function AnsiLine({ text }: { readonly text: string }): JSX.Element {
  const runs = new AnsiParser().feed(text.slice(0, MAX_CHARS));
  return (
    <>
      {runs.map((run, index) => (
        <span key={index} className={classesOf(run.style)} style={coloursOf(run.style)}>
          {run.text}
        </span>
      ))}
    </>
  );
}

function classesOf({ fg, bg, attributes }: AnsiStyle): string {
  const classes: string[] = [];
  if ((attributes & ATTRIBUTE.bold) !== 0) classes.push('a-bold');
  if ((attributes & ATTRIBUTE.dim) !== 0 && fg === DEFAULT_COLOUR) classes.push('a-dim');
  if (bg !== DEFAULT_COLOUR) classes.push(bg < 16 ? `a-on a-bg${bg % 8}` : 'a-on');
  else if (fg >= 0 && fg < 16) classes.push(`a-fg${fg}`);
  return classes.join(' ');
}

function coloursOf({ fg, bg }: AnsiStyle): { background: string } | { color: string } | undefined {
  if (bg >= 16) return { background: groundColour(bg) };
  return bg === DEFAULT_COLOUR && fg >= 16 ? { color: textColour(fg) } : undefined;
}
