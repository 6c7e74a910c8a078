/** Makes sure the engine has a job's image: looks, pulls with credentials, and names the failure. */
import {
  isEngineError,
  type DockerEngine,
  type EngineError,
  type PullProgress,
} from '../docker/docker-engine.ts';
import type { RegistryLookup } from '../docker/registry-auth.ts';
import { reason, type Reason } from '../model/reason.ts';
import type { Clock } from '../ports.ts';

/** How often progress is told. */
export const PROGRESS_EVERY_MS = 500;
/** A pull that moves no byte for so long is given up. */
export const PULL_STALL_MS = 300_000;

export interface ImageSupply {
  readonly engine: DockerEngine;
  readonly clock: Clock;
  readonly credentialsFor: (image: string) => Promise<RegistryLookup>;
  readonly progress: (text: string | null) => void;
  readonly signal: AbortSignal;
}

/** Null when the image is there now, else why not. Rejects with the signal's reason when aborted. */
export async function pullImage(image: string, supply: ImageSupply): Promise<Reason | null> {
  const { engine, clock, signal } = supply;
  supply.progress(null);
  const { credentials, problem } = await supply.credentialsFor(image);
  signal.throwIfAborted();
  const stalled = new AbortController();
  let stall = clock.after(PULL_STALL_MS, () => stalled.abort());
  let toldAtMs = clock.monotonicMs() - PROGRESS_EVERY_MS;
  const progress = (now: PullProgress): void => {
    stall.cancel();
    stall = clock.after(PULL_STALL_MS, () => stalled.abort());
    if (now.totalBytes === 0 || clock.monotonicMs() - toldAtMs < PROGRESS_EVERY_MS) return;
    toldAtMs = clock.monotonicMs();
    supply.progress(progressText(now));
  };
  try {
    const both = AbortSignal.any([signal, stalled.signal]);
    await engine.pull(image, { credentials, progress, signal: both });
    return null;
  } catch (error) {
    signal.throwIfAborted();
    if (stalled.signal.aborted)
      return reason('image_pull_failed', { image, detail: 'nothing came for 5 minutes' });
    if (!isEngineError(error)) throw error;
    return pullReason(image, error, problem);
  } finally {
    stall.cancel();
  }
}

/** For example `41 of 120 MB`. */
export function progressText({ doneBytes, totalBytes }: PullProgress): string {
  const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
  return `${megabytes(doneBytes)} of ${megabytes(totalBytes)} MB`;
}

function pullReason(image: string, error: EngineError, problem: string | null): Reason {
  if (error.statusCode === null && (error.kind === 'away' || error.kind === 'denied'))
    return reason('docker_unavailable', { detail: error.message });
  const detail = problem === null ? error.message : `${error.message} (${problem})`;
  const code = error.kind === 'not_found' ? 'image_missing' : 'image_pull_failed';
  return reason(code, { image, detail });
}
