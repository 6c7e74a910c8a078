/** `preloop-host jobs`: the newest jobs, one a line. */
import { JOB_STATES, type JobRow, type JobStateName } from '../contract/views.ts';
import type { Verb } from './command-context.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { instantText, plainText, runTime, table } from './plain-output.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;

export const jobs: Verb = async ({ client, flags, print, clock, words }) => {
  const states = flags.state === null ? undefined : statesOf(flags.state);
  const text = words.join(' ');
  const page = await client.request('jobs.page', {
    filter: { ...(states === undefined ? {} : { states }), ...(text === '' ? {} : { text }) },
    offset: 0,
    limit: limitOf(flags.limit),
  });
  if (flags.json) print(JSON.stringify({ rows: page.rows, total: page.total }));
  else for (const line of jobLines(page.rows, page.total, clock.nowMs())) print(line);
  return EXIT.done;
};

function jobLines(rows: readonly JobRow[], total: number, nowMs: number): readonly string[] {
  if (rows.length === 0) return ['No job matches.'];
  const cells = rows.map((row) => [
    row.jobId.slice(0, 8),
    row.state.replace('_', ' '),
    plainText(row.title),
    instantText(row.acceptedAtMs),
    runTime(row, nowMs),
    plainText(row.reason ?? ''),
  ]);
  const lines = table([['ID', 'STATE', 'JOB', 'ACCEPTED', 'RAN', 'WHY'], ...cells]);
  return total > rows.length
    ? [...lines, `${total - rows.length} more; see --limit and --state`]
    : lines;
}

function statesOf(text: string): JobStateName[] {
  return text.split(',').map((word) => {
    const wanted = word.trim().toLowerCase().replace(/[ -]/g, '_');
    const state = JOB_STATES.find((known) => known === wanted);
    if (state === undefined)
      throw new CommandError(`There is no state ${word}. States are ${JOB_STATES.join(', ')}.`);
    return state;
  });
}

function limitOf(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    throw new CommandError(`--limit takes a whole number from 1 to ${MAX_LIMIT}.`);
  return limit;
}
