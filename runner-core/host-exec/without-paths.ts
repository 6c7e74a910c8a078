/**
 * Text for the service without places of the owner's machine: full paths, whatever system wrote them, and the folders
 * that are known by name even where they hold spaces. Rather too much goes than too little. Addresses of the web stay.
 * Pure. Secrets are masked before: what is left of one that held a path is a secret no longer.
 */
import { CUT_SIGN } from './line-tail.ts';
import { withoutEscapes } from './without-escapes.ts';

export const PATH_WORD = '<path>';

/** A path begins behind anything but a word, a path or the `:` of an address; behind an option of one letter, too. */
const BEFORE = String.raw`(?:(?<![\p{L}\p{N}_.~\\/]|:(?=\/\/))|(?<=(?:^|\s)-[A-Za-z])|(?<=\.{3}))`;
const ON_UNIX = String.raw`(?:~[\w.-]*)?\/{1,2}(?=[^\s/])`;
/** A drive; a share, a device or either as JSON writes it; the root of the drive one is on. */
const ON_WINDOWS = String.raw`[A-Za-z]:[\\/]|\\{2,}(?=[^\s\\])|\\(?=[\w.~-]+\\)`;
const FILE_ADDRESS = String.raw`[\w+-]*file:\/{2,}`;
const BEGINNING = `(?:${FILE_ADDRESS}|${ON_UNIX}|${ON_WINDOWS})`;
/** What ends a path, \u0060 being a quote as well. Signs do not where a separator follows; nor does a next word with one. */
const SIGN = String.raw`[()\[\]{},;:](?=[^\s'"\u0060<>|]*[\\/])(?!\/\/)`;
const LETTER = String.raw`[^\s'"\u0060()\[\]{}<>|,;:]`;
const NEXT_WORD = String.raw`[ ](?!-)[^\s'"\u0060()\[\]{}<>|,;:\\/]+[\\/]`;
const REST = String.raw`(?:${LETTER}|${SIGN}|(?<=\\)[ ]|${NEXT_WORD})*`;
/** A quote that is never closed was cut off: it reaches to the end of its line. */
const QUOTED = new RegExp(
  String.raw`(['"\u0060])${BEGINNING}[^'"\u0060\r\n]*(?:\1|(?=[\r\n])|$)`,
  'giu',
);
const PLAIN = new RegExp(`${BEFORE}${BEGINNING}${REST}`, 'gimu');
const LEAST_PLACE_CHARS = 4;
/** Takes the place of a known folder, so that what is below it goes as a path. */
const PLACE_MARK = '/~';

/** @param places folders of this job and this user, as they are */
export function withoutPaths(text: string, places: readonly string[] = []): string {
  const known = places
    .map((place) => place.replace(/[\\/]+$/, ''))
    .filter((place) => place.length >= LEAST_PLACE_CHARS)
    .toSorted((one, other) => other.length - one.length);
  const bare = known.reduce(
    (left, place) => left.replace(spellingsOf(place), PLACE_MARK),
    withoutEscapes(text),
  );
  return withoutCutPlaces(bare, known)
    .replace(QUOTED, `$1${PATH_WORD}$1`)
    .replace(PLAIN, PATH_WORD);
}

/** With either separator, as it is or as JSON writes it, and in any case. */
function spellingsOf(place: string): RegExp {
  const parts = place.split(/[\\/]+/).map((part) => part.replace(/[$()*+.?[\]^{|}]/g, '\\$&'));
  return new RegExp(parts.join(String.raw`[\\/]{1,4}`), 'giu');
}

/** Where a text was cut the beginning of a known folder may stand, whose later words are no path by themselves. */
function withoutCutPlaces(text: string, places: readonly string[]): string {
  const parts = text.split(CUT_SIGN);
  return parts
    .map((part, at) => (at === parts.length - 1 ? part : withoutCutPlace(part, places)))
    .join(CUT_SIGN);
}

function withoutCutPlace(text: string, places: readonly string[]): string {
  for (const place of places)
    for (let chars = place.length - 1; chars >= LEAST_PLACE_CHARS; chars--)
      if (text.endsWith(place.slice(0, chars))) return `${text.slice(0, -chars)}${PLACE_MARK}`;
  return text;
}
