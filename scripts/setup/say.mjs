// @ts-check
/** What the set-up tells the person at the terminal: one line an act, and what to do when it cannot go on. */

/** The set-up cannot go on. `message` says what is wrong, `remedy` what the person can do about it. */
export class SetupError extends Error {
  /**
   * @param {string} message
   * @param {string} remedy
   * @param {ErrorOptions} [options]
   */
  constructor(message, remedy, options) {
    super(message, options);
    this.remedy = remedy;
  }
}

/**
 * One line on standard error, so that the output of the program that follows stays its own.
 *
 * @param {string} line
 */
export function say(line) {
  process.stderr.write(`[set-up] ${line}\n`);
}

/**
 * Runs an entry script's body; its number becomes the exit code. A SetupError is shown in plain
 * words, anything else with its stack, since it is a bug of ours.
 *
 * @param {() => Promise<number>} body
 */
export async function runEntry(body) {
  try {
    process.exitCode = await body();
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof SetupError) {
      process.stderr.write(`\n${error.message}\nWhat to do: ${error.remedy}\n`);
    } else {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    }
  }
}
