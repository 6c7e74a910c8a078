/** An X display that nobody looks at, for windows of a real Chromium. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface VirtualDisplay {
  /** For DISPLAY. */
  readonly name: string;
  stop(): Promise<void>;
}

/** Takes a free number itself and says it once it listens. Rejects where Xvfb is missing or fails. */
export function startDisplay(): Promise<VirtualDisplay> {
  const server = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const ended = new Promise<void>((resolve) => {
    server.once('exit', () => resolve());
    server.once('error', () => resolve());
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    void ended.then(() => reject(new Error('Xvfb ended at once')));
    createInterface({ input: server.stdio[3] as Readable }).once('line', (number) => {
      resolve({
        name: `:${number.trim()}`,
        async stop() {
          server.kill();
          await ended;
        },
      });
    });
  });
}
