/** What the measured page is given: many jobs, one quiet job, and one that prints fast. */
import type { JobRow, JobView, LogRecordView } from '../../main/contract/views.ts';
import { jobView } from '../../test/fixtures/page/job.ts';
import { endedRowAt, heldRow } from '../../test/fixtures/page/rows.ts';
import type { ScriptedJob } from './page-host.ts';

export interface FastJob extends ScriptedJob {
  /** The first line is printed now. */
  begin(): void;
}

export function manyJobs(): (index: number) => JobRow {
  const nowMs = Date.now();
  return (index) => endedRowAt(index, nowMs);
}

export function quietJob(): ScriptedJob {
  const row = endedRowAt(0, Date.now());
  return {
    view: () => jobView(row, Date.now()),
    printed: () => 0,
    record: recordAt,
    over: () => true,
  };
}

/** Prints `lines` lines, `perSecond` a second, from `begin` on. */
export function fastJob(lines: number, perSecond: number): FastJob {
  const row = { ...heldRow(0, Date.now(), 1_000, 'running'), lines: 0 };
  let beganMs: number | undefined;
  const printed = (): number =>
    beganMs === undefined
      ? 0
      : Math.min(lines, Math.floor(((performance.now() - beganMs) / 1_000) * perSecond));
  const view = (): JobView => ({
    ...jobView(row, Date.now()),
    records: printed(),
    lines: printed(),
  });
  return {
    view,
    printed,
    record: recordAt,
    over: () => printed() === lines,
    begin: () => {
      beganMs = performance.now();
    },
  };
}

const FILES = ['src/http/client.ts', 'src/queue/drain.ts', 'packages/core/test/retry.test.ts'];

/** About ninety columns, half of them coloured, as test runs and agents print. */
function recordAt(record: number): LogRecordView {
  const file = FILES[record % FILES.length] ?? '';
  const number = (Math.imul(record + 1, 2_654_435_761) >>> 0).toString(16);
  const text =
    record % 2 === 0
      ? `\u001b[35m${file}\u001b[0m:\u001b[32m${record % 900}\u001b[0m: const retry_${number} = policy.retry ?? { limit: 2 };`
      : `  at Object.<anonymous> (${file}:${record % 900}:14) in ${number} after ${record % 1_000} ms, see notes`;
  return {
    record,
    line: record,
    atMs: 1_790_000_000_000 + record,
    flags: record % 50 === 0 ? 1 : 0,
    text,
  };
}
