/** `preloop-host resume | offline | online`: whether this host takes jobs. */
import type { RequestName } from '../contract/requests.ts';
import type { CommandContext, Verb } from './command-context.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { plainText } from './plain-output.ts';

type SteerRequest = Extract<
  RequestName,
  'host.resume' | 'host.offline' | 'host.online' | 'host.takeBack'
>;

/** Says afterwards what the host says of itself. */
export function steer(name: SteerRequest): Verb {
  return async (context) => {
    await context.client.request(name, {});
    return sayStanding(context);
  };
}

export async function sayStanding({ client, flags, print }: CommandContext): Promise<ExitCode> {
  const { sentence, intake, pause } = await client.until('overview', {});
  print(
    flags.json
      ? JSON.stringify({ intake, pause, sentence })
      : plainText(`${sentence.state} ${sentence.consequence}`),
  );
  return EXIT.done;
}
