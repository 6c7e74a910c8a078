/** What the plane finds wrong with a field of a job, in the words of a job file. Pure. */

const UNKNOWN_FIELD = 'Extra inputs are not permitted';
const WRONG_TYPE = /^Invalid input: expected (\w+), received (\w+)$/;
const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  record: 'a section of its own',
  object: 'a section of its own',
  array: 'a list',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** One problem as a clause. `path` as in the answer of the plane, which begins with `body`. */
export function fieldProblem(path: readonly (string | number)[], message: string): string {
  const field = path.filter((part) => part !== 'body').join('.') || 'the job';
  if (message === UNKNOWN_FIELD) return `${field} is no field of a job`;
  const [, expected = '', received = ''] = WRONG_TYPE.exec(message) ?? [];
  if (received === 'undefined') return `${field} is missing`;
  const words = TYPE_WORDS[expected];
  if (words !== undefined) return `${field} must be ${words}`;
  // The plane's own words continue the sentence; a sentence of a library stands for itself.
  return /^[a-z]/.test(message) ? `${field} ${message}` : `${field}: ${message}`;
}
