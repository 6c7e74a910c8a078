/** `preloop-host submit job.yaml`: hands a job to the embedded plane, and with --wait follows it to its end. */
import { isJsonObject } from '../../runner-core/model/json.ts';
import type { JobView } from '../contract/views.ts';
import type { CommandContext, Verb } from './command-context.ts';
import { CommandError, EXIT, type ExitCode } from './exit-codes.ts';
import { readJobFile } from './job-file.ts';
import { followLog, recordPrinter } from './logs.ts';
import { plainText } from './plain-output.ts';

export const submit: Verb = async (context) => {
  const { client, flags, print, words } = context;
  const [path] = words;
  if (path === undefined) throw new CommandError('Name the file of the job.');
  const definition = await readJobFile(path);
  if (!isJsonObject(definition)) throw new CommandError(`${path} is not a job: it has no fields.`);
  const { jobId } = await client.request('job.submit', { definition });
  if (!flags.wait) {
    print(flags.json ? JSON.stringify({ jobId }) : `Submitted ${jobId}`);
    return EXIT.done;
  }
  return follow(context, jobId);
};

async function follow(context: CommandContext, jobId: string): Promise<ExitCode> {
  const { client, flags, print } = context;
  if (!flags.json) print(`Submitted ${jobId}`);
  const show = flags.json ? () => undefined : recordPrinter(context);
  await followLog(client, jobId, show);
  const ended = await client.until('job', { jobId }, (view) => view?.verdict != null);
  if (ended === null) throw new CommandError(`This host no longer knows job ${jobId}.`);
  print(flags.json ? JSON.stringify(ended) : plainText(endLine(ended)));
  return ended.state === 'succeeded' ? EXIT.done : EXIT.notSucceeded;
}

function endLine({ state, why }: JobView): string {
  const words = state.replace('_', ' ');
  return why === null ? words : `${words}: ${why.what} ${why.remedy}`;
}
