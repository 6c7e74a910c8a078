/** `preloop-host pin ID | unpin ID`: whether a job and its log are kept for good. */
import type { Verb } from './command-context.ts';
import { EXIT } from './exit-codes.ts';
import { wholeJobId } from './job-id.ts';

export function pin(request: 'job.pin' | 'job.unpin'): Verb {
  return async ({ client, flags, print, words }) => {
    const jobId = await wholeJobId(client, words[0]);
    await client.request(request, { jobId });
    const pinned = request === 'job.pin';
    const said = pinned ? 'is kept until you unpin it' : 'is removed with its age like any other';
    print(flags.json ? JSON.stringify({ jobId, pinned }) : `${jobId} ${said}`);
    return EXIT.done;
  };
}
