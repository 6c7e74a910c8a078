/** The test's end of the line to one running app: what it shows comes in, orders go out. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StateWatch } from './desktop.ts';
import { fromAppSchema, type Order } from './desktop-state.ts';

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class DesktopChannel {
  readonly watch = new StateWatch();
  readonly #folder: string;
  readonly #server: Server;
  readonly #taken: Promise<Socket>;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #problem: Error | null = null;

  static async open(): Promise<DesktopChannel> {
    const folder = await mkdtemp(join(tmpdir(), 'preloop-line-'));
    const server = createServer();
    const channel = new DesktopChannel(folder, server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(channel.path, () => resolve());
    });
    return channel;
  }

  private constructor(folder: string, server: Server) {
    this.#folder = folder;
    this.#server = server;
    this.#taken = new Promise((resolve) => {
      server.once('connection', (socket) => {
        socket.on('error', () => undefined);
        // An error of its input is one of the reader too; an app that is killed leaves one, and `end` tells of it.
        createInterface({ input: socket })
          .on('error', () => undefined)
          .on('line', (line) => this.#hear(JSON.parse(line)));
        resolve(socket);
      });
    });
  }

  /** What the app is given by the name of LINE_VARIABLE. */
  get path(): string {
    return join(this.#folder, 'line');
  }

  order(order: Order): Promise<unknown> {
    if (this.#problem !== null) return Promise.reject(this.#problem);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      void this.#taken.then((socket) => socket.write(`${JSON.stringify({ id, order })}\n`));
    });
  }

  /** An app that is on the line ends when it is cut. */
  hangUp(): void {
    void this.#taken.then((socket) => socket.destroy());
  }

  /** The app is gone: whoever waits for it is told why. */
  async end(why: string): Promise<void> {
    this.#problem = new Error(why);
    this.watch.end(why);
    for (const { reject } of this.#waiting.values()) reject(this.#problem);
    this.#waiting.clear();
    this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #hear(value: unknown): void {
    const message = fromAppSchema.parse(value);
    if ('state' in message) {
      this.watch.show(message.state);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('problem' in message) waiting?.reject(new Error(message.problem));
    else waiting?.resolve(message.result);
  }
}
