/** One job, number 1, at a listener: delivered, or as a host that was killed left it. */
import { expect, onTestFinished } from 'vitest';
import type { JobEvent } from '../../runner-core/model/job-machine.ts';
import { containerOf, dockerSpec, jobIdOf, jobPayload } from './builders.ts';
import { politeReply } from './fake-control-plane.ts';
import type { FakeWorker } from './fake-worker.ts';
import { listenerBench, type ListenerBench } from './listener-bench.ts';
import { MemoryJobStore } from './memory-job-store.ts';

export const JOB = jobIdOf(1);
export const LAUNCHED: JobEvent = { kind: 'launched', atMs: 0 };

export type JobBench = ListenerBench & {
  /** What is stored as the job's end; before that its state. */
  readonly verdict: () => unknown;
};

/**
 * Not started. Replies after the first `complete` are withheld, so that the stored end can be read. When the test is
 * over it is stopped, and no timer may be left.
 */
export function benchOf(options: Parameters<typeof listenerBench>[0] = {}): JobBench {
  const bench = listenerBench(options);
  onTestFinished(async () => {
    await bench.stop();
    expect(bench.clock.pending).toBe(0);
  });
  let isEnded = false;
  bench.plane.reply = (frame) => {
    isEnded ||= frame.type === 'complete';
    return isEnded ? null : politeReply(frame);
  };
  const verdict = (): unknown => {
    const state = bench.store.job(JOB)?.state;
    return state?.kind === 'reporting' ? state.verdict : state?.kind;
  };
  return { ...bench, verdict };
}

/** Online, with the job delivered. */
export async function deliveredBench(
  options: Parameters<typeof listenerBench>[0] = {},
  isReady = true,
): Promise<JobBench & { readonly worker: FakeWorker }> {
  const bench = benchOf(options);
  bench.launcher.isReadyAtOnce = isReady;
  await bench.start();
  bench.plane.session.deliver({ type: 'job', job: jobPayload(1) });
  await bench.settle();
  return { ...bench, worker: bench.launcher.worker };
}

/** The worker made its container and started it. */
export async function startContainer(bench: ListenerBench, worker: FakeWorker): Promise<void> {
  worker.say({ kind: 'made', leftover: containerOf(1) });
  worker.say({ kind: 'phase', phase: 'running', progress: null });
  await bench.settle();
}

/** A store as a host left it that was killed: the job accepted, then `events`. */
export function storeAfter(events: readonly JobEvent[], withContainer = false): MemoryJobStore {
  const store = new MemoryJobStore();
  store.accept(dockerSpec(1), 0);
  if (withContainer) store.noteLeftover(JOB, containerOf(1));
  for (const event of events) store.transition(JOB, event);
  return store;
}
