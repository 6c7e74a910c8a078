/**
 * Text for the service without places of the owner's machine: full paths, whatever system wrote them, and the folders
 * that are known by name even where they hold spaces. Addresses of the web stay. Pure.
 */
export const PATH_WORD = '<path>';

/** Where a path may begin: not within a word, nor in the middle of an address. */
const BEFORE = String.raw`(?<=^|[\s'"\`(\[{<=,;|>]|:(?!\/\/))`;
const BEGINNING = String.raw`(?:~?\/(?=[^\s/])|~?\/\/(?=[^\s/])|[A-Za-z]:[\\/]|\\\\(?=[^\s\\]))`;
const QUOTED = new RegExp(String.raw`(['"\`])${BEGINNING}[^'"\`\r\n]*\1`, 'g');
const PLAIN = new RegExp(String.raw`${BEFORE}${BEGINNING}[^\s'"\`()\[\]{}<>|,;:]*`, 'gm');
const FILE_ADDRESS = /\bfile:\/\/[^\s'"`()[\]{}<>]*/gi;
const LEAST_PLACE_CHARS = 4;

/** @param places folders of this job and this user, as they are */
export function withoutPaths(text: string, places: readonly string[] = []): string {
  const known = places
    .filter((place) => place.length >= LEAST_PLACE_CHARS)
    .toSorted((one, other) => other.length - one.length);
  // Their rest goes with them, so that no part of it stays.
  const bare = known.reduce((left, place) => left.replaceAll(place, '/~'), text);
  return bare
    .replace(FILE_ADDRESS, PATH_WORD)
    .replace(QUOTED, `$1${PATH_WORD}$1`)
    .replace(PLAIN, PATH_WORD);
}
