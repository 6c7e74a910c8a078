/** `preloop-host quit`: ends the host, and returns once it has ended. With jobs held it wants to be told how. */
import { heldKinds, type HeldKinds } from '../contract/leave-words.ts';
import { capital, counted } from '../services/views/plain-text.ts';
import type { CommandContext, Verb } from './command-context.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { HostGoneError } from './host-client.ts';

type How = 'drain' | 'stop' | 'leave';

export const quit: Verb = async ({ client, flags, print }) => {
  const asked = chosen(flags);
  const { held } = await client.until('overview', {});
  const kinds = heldKinds(held);
  if (asked === null && held.length > 0)
    throw new CommandError(
      `${counted(held.length, 'job')} ${held.length === 1 ? 'runs' : 'run'}. Say --finish, --stop or --leave.${kinds.commands === 0 ? '' : ' --leave stops local commands.'}`,
    );
  const how = asked ?? 'stop';
  await client.request('host.quit', { how });
  if (!flags.json && held.length > 0) print(doingWords(how, kinds));
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

/** With at least one job held. */
export function doingWords(how: How, { containers, commands }: HeldKinds): string {
  const jobs = counted(containers + commands, 'job');
  if (how === 'drain') return `Finishing ${jobs}, then quitting`;
  if (how === 'stop') return `Stopping ${jobs}, then quitting`;
  const parts = [
    ...(containers === 0 ? [] : [`leaving ${counted(containers, 'job')} running`]),
    ...(commands === 0 ? [] : [`stopping ${counted(commands, 'local command')}`]),
    'then quitting',
  ];
  return capital(parts.join(', '));
}

function chosen({ finish, stop, leave }: CommandContext['flags']): How | null {
  const given = [
    ...(finish ? (['drain'] as const) : []),
    ...(stop ? (['stop'] as const) : []),
    ...(leave ? (['leave'] as const) : []),
  ];
  if (given.length > 1) throw new CommandError('Give one of --finish, --stop and --leave.');
  return given[0] ?? null;
}
