/** How the command ends, and the errors that end it. */

export const EXIT = {
  done: 0,
  /** `submit --wait`: the job did not succeed. */
  notSucceeded: 1,
  /** Wrong words, or the host refused. */
  notCarriedOut: 2,
  /** No host runs with this data folder. */
  noHost: 3,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What the person is told on standard error: what is wrong and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly code = 'command_failed';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.notCarriedOut) {
    super(message);
    this.exitCode = exitCode;
  }
}
