/** `preloop-host quit`: ends the host, and returns once it has ended. With jobs held it wants to be told how. */
import type { CommandContext, Verb } from './command-context.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { HostGoneError } from './host-client.ts';

type How = 'drain' | 'stop' | 'leave';
const DOING: Readonly<Record<How, string>> = {
  drain: 'Finishing',
  stop: 'Stopping',
  leave: 'Leaving',
};

export const quit: Verb = async ({ client, flags, print }) => {
  const asked = chosen(flags);
  const { held } = await client.until('overview', {});
  const jobs = held.length === 1 ? '1 job' : `${held.length} jobs`;
  if (asked === null && held.length > 0)
    throw new CommandError(
      `${jobs} ${held.length === 1 ? 'runs' : 'run'}. Say --finish, --stop or --leave.`,
    );
  const how = asked ?? 'stop';
  await client.request('host.quit', { how });
  if (!flags.json && held.length > 0)
    print(`${DOING[how]} ${jobs}${how === 'leave' ? ' running' : ''}, then quitting`);
  try {
    let said = '';
    await client.until('overview', {}, ({ sentence }) => {
      // What holds the end up, such as a job whose engine is away; the sentence alone changes with each job.
      if (how === 'drain' && !flags.json && / waits? for /.test(sentence.consequence))
        if (sentence.consequence !== said) print((said = sentence.consequence));
      return false;
    });
  } catch (error) {
    if (!(error instanceof HostGoneError)) throw error;
  }
  print(flags.json ? JSON.stringify({ how, held: held.length }) : 'The host has ended.');
  return EXIT.done;
};

function chosen({ finish, stop, leave }: CommandContext['flags']): How | null {
  const given = [
    ...(finish ? (['drain'] as const) : []),
    ...(stop ? (['stop'] as const) : []),
    ...(leave ? (['leave'] as const) : []),
  ];
  if (given.length > 1) throw new CommandError('Give one of --finish, --stop and --leave.');
  return given[0] ?? null;
}
