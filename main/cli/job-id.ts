/** Job ids as a person gives them: the start of one is enough where only one job begins so. */
import { CommandError } from './exit-codes.ts';
import type { HostClient } from './host-client.ts';

const SHOWN = 5;

/** The whole id. Throws CommandError for none, and for several. */
export async function wholeJobId(client: HostClient, given: string | undefined): Promise<string> {
  if (given === undefined || given.trim() === '')
    throw new CommandError('Name a job by its id, or the start of it.');
  const wanted = given.trim().toLowerCase();
  const exact = await client.until('job', { jobId: given.trim() });
  if (exact !== null) return exact.jobId;
  const page = await client.request('jobs.page', {
    filter: { text: wanted },
    offset: 0,
    limit: 200,
  });
  const ids = page.rows
    .map(({ jobId }) => jobId)
    .filter((id) => id.toLowerCase().startsWith(wanted));
  const [only, ...others] = ids;
  if (only === undefined)
    throw new CommandError(`This host knows no job ${given}. See preloop-host jobs.`);
  if (others.length > 0) {
    const some = ids.slice(0, SHOWN).join(', ');
    throw new CommandError(`Several jobs begin with ${given}: ${some}. Give more of the id.`);
  }
  return only;
}
