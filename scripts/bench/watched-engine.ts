/** The engine behind a relay that notes when a container is asked for, and when one was started. */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRelay } from './relay.ts';

export interface WatchedEngine {
  /** For DOCKER_HOST. */
  readonly address: string;
  /** Resolves with the instant (performance.now) of the next container-create request. */
  nextCreate(): Promise<number>;
  /** Resolves with the instant at which the next container start was answered. */
  nextStarted(): Promise<number>;
  /** By container id, when (performance.now) its log was last asked for. */
  readonly logsAsked: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export async function startWatchedEngine(engineSocket: string): Promise<WatchedEngine> {
  const path = join(tmpdir(), `preloop-bench-engine-${process.pid}.sock`);
  await rm(path, { force: true });
  let created: (atMs: number) => void = () => undefined;
  let started: (atMs: number) => void = () => undefined;
  const logsAsked = new Map<string, number>();
  const relay = await startRelay({ path }, { path: engineSocket }, () => {
    let asksForStart = false;
    return {
      asked: (bytes) => {
        const text = bytes.toString('latin1');
        if (/^POST \S*\/containers\/create/.test(text)) created(performance.now());
        const [, logOf] = /^GET \S*\/containers\/([^/]+)\/logs/.exec(text) ?? [];
        if (logOf !== undefined) logsAsked.set(logOf, performance.now());
        asksForStart = /^POST \S*\/containers\/[^/]+\/start/.test(text);
      },
      // One connection carries one request at a time.
      answered: () => {
        if (asksForStart) started(performance.now());
        asksForStart = false;
      },
    };
  });
  return {
    address: `unix://${path}`,
    nextCreate: () => new Promise((resolve) => (created = resolve)),
    nextStarted: () => new Promise((resolve) => (started = resolve)),
    logsAsked,
    stop: () => relay.stop(),
  };
}
