/** `preloop-host logs ID`: what the job printed, and with -f what it goes on to print. */
import type { LogRecordView } from '../contract/views.ts';
import type { CommandContext, Verb } from './command-context.ts';
import { EXIT } from './exit-codes.ts';
import type { HostClient } from './host-client.ts';
import { wholeJobId } from './job-id.ts';
import { grepPattern, LogLines, sinceInstant } from './log-lines.ts';

const PAGE_RECORDS = 2_000;

export const logs: Verb = async (context) => {
  const { client, flags, words } = context;
  const show = recordPrinter(context);
  const jobId = await wholeJobId(client, words[0]);
  if (flags.follow) await followLog(client, jobId, show);
  else await readLog(client, jobId, show);
  return EXIT.done;
};

/** Prints what passes the flags, as lines or as one JSON object a record. */
export function recordPrinter(
  context: CommandContext,
): (records: readonly LogRecordView[]) => void {
  const { flags, clock, isTerminal, print } = context;
  const sinceMs = flags.since === null ? null : sinceInstant(flags.since, clock.nowMs());
  const pattern = flags.grep === null ? null : grepPattern(flags.grep);
  if (flags.json) {
    return (records) => {
      for (const record of records)
        if ((sinceMs === null || record.atMs >= sinceMs) && pattern?.test(record.text) !== false)
          print(JSON.stringify(record));
    };
  }
  const lines = new LogLines({ sinceMs, pattern, raw: flags.raw, isTerminal });
  return (records) => {
    for (const line of lines.add(records)) print(line);
  };
}

async function readLog(
  client: HostClient,
  jobId: string,
  show: (records: readonly LogRecordView[]) => void,
): Promise<void> {
  let fromRecord = 0;
  for (;;) {
    const page = await client.request('log.page', { jobId, fromRecord, limit: PAGE_RECORDS });
    if (page.records.length === 0) return;
    show(page.records);
    fromRecord = page.nextRecord;
  }
}

/** Resolves when the job has ended and all of its log was shown. A job not yet known is waited for. */
export function followLog(
  client: HostClient,
  jobId: string,
  show: (records: readonly LogRecordView[]) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const watch = client.watch(
      'job_log',
      { jobId, fromRecord: 0 },
      ({ records, complete }) => {
        show(records);
        if (!complete) {
          watch.taken();
          return;
        }
        watch.stop();
        resolve();
      },
      reject,
    );
  });
}
