/** The app's end of the line to its test: a line of JSON for each message, over a socket that the environment names. */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** Names the socket to the app. */
export const LINE_VARIABLE = 'DESKTOP_TEST_LINE';

export class DesktopLine {
  readonly #socket: Socket | null = null;

  /**
   * What is told before the test has taken the line waits for it.
   *
   * @param path without one nobody hears what is told: a second start, which nobody drives
   */
  constructor(path: string | undefined, hear: (message: unknown) => void) {
    if (path === undefined) return;
    this.#socket = connect(path);
    // A test that was killed leaves an error before the end, of the socket and of its reader.
    this.#socket.on('error', () => undefined);
    createInterface({ input: this.#socket })
      .on('error', () => undefined)
      .on('line', (line) => hear(JSON.parse(line)));
  }

  /** Resolves once it has left. */
  tell(message: unknown): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket === null || this.#socket.destroyed) resolve();
      else this.#socket.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }

  /** The test has hung up, or is gone. */
  onGone(act: () => void): void {
    this.#socket?.on('close', act);
  }
}
