/**
 * The same text in memory of its own. A slice keeps the whole text alive that it was cut from: 4,000 characters of a file
 * cost as much as the file.
 */
export function ownCopy(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** At most so many characters of a text, and the sign of a cut where that is not all; in memory of its own. */
export function cutCopy(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : ownCopy(`${text.slice(0, maxChars).toWellFormed()}…`);
}
