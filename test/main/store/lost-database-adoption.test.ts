/** A host whose database is lost while its job runs: the next one goes on exactly where the service is. */
import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { JobStore } from '../../../runner-core/ports.ts';
import {
  chunkOf,
  containerOf,
  cursorAfter,
  jobIdOf,
  jobPayload,
  lineChunks,
  SUCCEEDED,
} from '../../support/builders.ts';
import { politeReply } from '../../support/fake-control-plane.ts';
import { startContainer } from '../../support/job-bench.ts';
import { listenerBench, type ListenerBench } from '../../support/listener-bench.ts';
import { linesOf } from '../../support/outgoing-lines.ts';
import { StoreBench } from '../../support/store-bench.ts';

/** A service that stores a batch once for each id. */
class BatchKeeper {
  readonly stored = new Map<string, readonly string[]>();
  /** Batches that still get there, and that are still answered. */
  arrive = Number.POSITIVE_INFINITY;
  answer = Number.POSITIVE_INFINITY;

  serve({ plane }: ListenerBench): void {
    plane.reply = (frame) => {
      if (frame.type !== 'logs') return politeReply(frame);
      this.arrive -= 1;
      this.answer -= 1;
      const id = frame.batch_id ?? '';
      if (this.arrive >= 0 && !this.stored.has(id)) this.stored.set(id, linesOf(frame.lines));
      return this.answer >= 0 ? politeReply(frame) : null;
    };
  }

  get lines(): readonly string[] {
    return [...this.stored.values()].flat();
  }
}

function hostOver(store: JobStore): ListenerBench {
  const bench = listenerBench({ deps: { store } });
  onTestFinished(() => bench.stop());
  return bench;
}

test('each line is at the service once, and the verdict is the job’s own', async () => {
  const files = new StoreBench();
  const service = new BatchKeeper();
  service.arrive = 8;
  service.answer = 4;
  const first = hostOver(files.store);
  service.serve(first);
  await first.start();
  first.plane.session.deliver({ type: 'job', job: jobPayload(1) });
  await first.settle();
  await startContainer(first, first.launcher.worker);
  first.launcher.worker.log(lineChunks(10), cursorAfter(10));
  await first.clock.advance(1_000);
  expect(service.lines).toHaveLength(8);
  await first.stop('leave');

  const second = hostOver(
    files.reopen(() => {
      for (const suffix of ['', '-wal', '-shm'])
        rmSync(`${files.databasePath}${suffix}`, { force: true });
    }),
  );
  service.arrive = service.answer = Number.POSITIVE_INFINITY;
  service.serve(second);
  second.remover.containers = [{ leftover: containerOf(1), jobId: jobIdOf(1), running: true }];
  second.plane.hello = { log_acknowledgements: true, jobs: [jobPayload(1)] };
  await second.start();
  const { worker } = second.launcher;
  expect(worker.receivedOf('run')).toEqual([]);
  expect(worker.receivedOf('adopt')).toMatchObject([
    { container: containerOf(1), cursor: cursorAfter(10), nextSeq: 11, nextLine: 10 },
  ]);
  // The same output, and more, cut otherwise than a first reader would have cut it.
  worker.log([chunkOf(11, ['line 11', 'line 12', 'line 13'], { firstLine: 10 })], cursorAfter(13));
  worker.end(SUCCEEDED);
  await second.clock.advance(1_000);
  expect(service.lines).toEqual(Array.from({ length: 13 }, (_, place) => `line ${place + 1}`));
  expect(second.plane.sent('complete')).toMatchObject([{ status: 'SUCCEEDED' }]);
  expect(files.store.job(jobIdOf(1))).toMatchObject({
    state: { kind: 'settled' },
    linesAcknowledged: 13,
  });
});
