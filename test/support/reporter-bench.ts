/** A Reporter over a store in memory, with jobs that have stored lines. */
import { Reporter } from '../../runner-core/listener/reporter.ts';
import type { JobStateKind } from '../../runner-core/model/job-machine.ts';
import { dockerSpec, jobIdOf, lineChunks, SUCCEEDED } from './builders.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeLink } from './fake-link.ts';
import { RecordingLog } from './listener-bench.ts';
import { MemoryJobStore } from './memory-job-store.ts';

export function reporterBench(store = new MemoryJobStore()) {
  const clock = new FakeClock();
  const log = new RecordingLog();
  const reporter = new Reporter({ clock, log, store, changed: () => undefined });
  /** A held job with `lines` lines stored, each a batch of its own. */
  const held = (number: number, lines: number): void => {
    store.accept(dockerSpec(number), number);
    store.transition(jobIdOf(number), { kind: 'launched', atMs: number });
    store.appendLog(jobIdOf(number), lineChunks(lines), null);
    reporter.logStored(jobIdOf(number));
  };
  const end = (number: number): void => {
    store.transition(jobIdOf(number), { kind: 'ended', atMs: 0, verdict: SUCCEEDED });
    reporter.ended(jobIdOf(number));
  };
  const online = async (acknowledgesLogs = true): Promise<FakeLink> => {
    const link = new FakeLink(acknowledgesLogs);
    reporter.online(link);
    await clock.advance(0);
    return link;
  };
  const acknowledged = (number: number): number | undefined =>
    store.job(jobIdOf(number))?.batchesAcknowledged;
  const state = (number: number): JobStateKind | undefined =>
    store.job(jobIdOf(number))?.state.kind;
  return { store, clock, log, reporter, held, end, online, acknowledged, state };
}
