/** `preloop-host pause | resume | offline | online`: whether this host takes jobs. */
import type { RequestName } from '../contract/requests.ts';
import type { Verb } from './command-context.ts';
import { EXIT } from './exit-codes.ts';

type SteerRequest = Extract<
  RequestName,
  'host.pause' | 'host.resume' | 'host.offline' | 'host.online'
>;

/** Says afterwards what the host says of itself. */
export function steer(name: SteerRequest): Verb {
  return async ({ client, flags, print }) => {
    await client.request(name, {});
    const { sentence, intake } = await client.until('overview', {});
    print(
      flags.json
        ? JSON.stringify({ intake, sentence })
        : `${sentence.state} ${sentence.consequence}`,
    );
    return EXIT.done;
  };
}
