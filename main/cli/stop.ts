/** `preloop-host stop ID`: asks a running job to end. */
import type { Verb } from './command-context.ts';
import { EXIT } from './exit-codes.ts';
import { wholeJobId } from './job-id.ts';

export const stop: Verb = async ({ client, flags, print, words }) => {
  const jobId = await wholeJobId(client, words[0]);
  await client.request('job.stop', { jobId });
  print(flags.json ? JSON.stringify({ jobId }) : `Stopping ${jobId}; it has 10 s to end by itself`);
  return EXIT.done;
};
