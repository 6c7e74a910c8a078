/** A ContainerLog over a scripted log, with a sink that writes down what it is shown. */
import { expect } from 'vitest';
import { ContainerLog } from '../../runner-core/docker/container-log.ts';
import type { LogCursor } from '../../runner-core/model/log-chunk.ts';
import { FakeClock, settle } from './fake-clock.ts';
import { FakeLogSource } from './fake-log-source.ts';

export interface ContainerLogBench {
  readonly source: FakeLogSource;
  readonly clock: FakeClock;
  /** Texts taken, in order; what is reviewed has a question mark. */
  readonly seen: string[];
  readonly log: ContainerLog;
  /** Set: the sink has no room until it resolves. */
  full: PromiseWithResolvers<undefined> | null;
  readonly follow: (signal?: AbortSignal) => Promise<void>;
}

export function containerLogBench(
  source = new FakeLogSource(),
  cursor: LogCursor | null = null,
): ContainerLogBench {
  const clock = new FakeClock();
  const seen: string[] = [];
  const log = new ContainerLog({
    clock,
    source,
    containerId: 'c1',
    cursor,
    sink: {
      record: (from, _atMs, bytes, start, end, taken) => {
        const text = bytes.toString('utf8', start, end).trimEnd();
        seen.push(`${taken ? '' : '?'}${from === 0 ? '' : '!'}${text}`);
      },
      room: () => result.full?.promise,
    },
  });
  const result: ContainerLogBench = {
    source,
    clock,
    seen,
    log,
    full: null,
    follow: (signal = new AbortController().signal) => log.follow(source.exited, signal),
  };
  return result;
}

export const numberedLines = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}`);
export const writeLines = (source: FakeLogSource, texts: readonly string[]): void =>
  source.write(0, texts.map((text) => `${text}\n`).join(''));

/** A cursor after everything written so far. */
export async function cursorAfter(source: FakeLogSource): Promise<LogCursor> {
  const abort = new AbortController();
  const first = containerLogBench(source);
  const following = first.follow(abort.signal);
  await settle();
  const cursor = first.log.cursor([0, 0]);
  abort.abort(new Error('enough'));
  await expect(following).rejects.toThrow('enough');
  return cursor;
}
