/** `preloop-host leftovers`: what is kept for a look, what waits for its engine, what was removed; `--remove ID` removes a kept one now. */
import type { LeftoversView } from '../contract/views.ts';
import type { Verb } from './command-context.ts';
import { EXIT } from './exit-codes.ts';
import { instantText, plainText } from './plain-output.ts';

const WHY: Readonly<Record<LeftoversView['removed'][number]['why'], string>> = {
  unowned: 'its job had ended',
  kept_over: 'its time was over',
  owner: 'removed by hand',
};

export const leftovers: Verb = async ({ client, flags, print }) => {
  if (flags.remove !== null) await client.request('leftover.remove', { id: flags.remove });
  const { leftovers: view } = await client.until('overview', {});
  if (flags.json) print(JSON.stringify(view));
  else for (const line of leftoverLines(view)) print(plainText(line));
  return EXIT.done;
};

export function leftoverLines({ kept, waiting, removed }: LeftoversView): readonly string[] {
  return [
    kept.length === 0 ? 'Kept     nothing' : 'Kept for a look',
    ...kept.flatMap(({ id, jobId, untilMs }) => [
      `  ${id.slice(0, 12)}  job ${jobId.slice(0, 8)}  until ${instantText(untilMs)}`,
      `                look: docker logs ${id.slice(0, 12)}; remove: preloop-host leftovers --remove ${id.slice(0, 12)}`,
    ]),
    ...(waiting.length === 0 ? [] : ['Waiting for their engine, then removed']),
    ...waiting.map(
      ({ kind, name, jobId, at }) =>
        `  ${kind.replace('_', ' ')} ${plainText(name)} of job ${jobId.slice(0, 8)}` +
        (at === null ? '' : `, in ${plainText(at)}`),
    ),
    removed.length === 0 ? 'Removed  nothing so far' : 'Removed',
    ...removed.map(
      ({ atMs, kind, name, jobId, why }) =>
        `  ${instantText(atMs)}  ${kind.replace('_', ' ')} ${plainText(name)}` +
        `${jobId === null ? '' : ` of job ${jobId.slice(0, 8)}`}: ${WHY[why]}`,
    ),
  ];
}
