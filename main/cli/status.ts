/** `preloop-host status`: what the Overview says, in a few lines. */
import type { OverviewView } from '../contract/views.ts';
import type { Verb } from './command-context.ts';
import { EXIT } from './exit-codes.ts';
import { instantText, plainText, runTime, sizeText } from './plain-output.ts';

export const status: Verb = async ({ client, flags, print, clock }) => {
  const view = await client.until('overview', {});
  if (flags.json) print(JSON.stringify(view));
  else for (const line of statusLines(view, clock.nowMs())) print(plainText(line));
  return EXIT.done;
};

export function statusLines(view: OverviewView, nowMs: number): readonly string[] {
  const { sentence, session, engine, server, today, held, slots, unreported } = view;
  const remedy = sentence.remedy?.action === 'none' ? ` ${sentence.remedy.label}.` : '';
  const since = `since ${instantText(session.sinceMs)}`;
  return [
    `${sentence.state} ${sentence.consequence}${remedy}`,
    `Runner   ${plainText(view.name)}${view.runnerId === null ? '' : ` (${view.runnerId})`}, version ${view.version}`,
    `Service  ${server.url}${server.embedded ? ' (embedded)' : ''}, ${session.kind.replace('_', ' ')} ${since}`,
    ...(session.cause === null || session.remedy === null
      ? []
      : [`Network  ${session.cause}. ${session.remedy}`]),
    ...(view.clockSkewMs === null ? [] : [`Clock    ${skewText(view.clockSkewMs)}`]),
    `Docker   ${engine.version ?? engine.kind.replace('_', ' ')}. ${engine.reason}`,
    `Slots    ${held.length} of ${slots} busy`,
    ...held.map((job) => {
      const doing = [job.phase ?? job.state, job.progress]
        .filter((part) => part !== null)
        .join(', ');
      return `  ${job.jobId.slice(0, 8)}  ${plainText(job.title)}  ${doing}  ${runTime(job, nowMs)}`;
    }),
    `Today    ${today.succeeded} succeeded, ${today.failed} failed, ${today.stopped} stopped, of ${today.total}`,
    `Logs     ${sizeText(view.logBytes)} of ${view.jobsInAll === 1 ? '1 job' : `${view.jobsInAll} jobs`}`,
    ...(unreported === 0 ? [] : [`Verdicts ${unreported} still to be reported`]),
    ...view.wantingPermission.map(
      ({ jobId, flowId, option }) =>
        `Refused  ${jobId.slice(0, 8)}: flow ${flowId} wants ${option}; allow it in the page or settings.yaml`,
    ),
  ];
}

function skewText(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  return `this machine is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} the service; set its date and time`;
}
