/** `preloop-host job ID`: one job, whole. */
import type { JobView } from '../contract/views.ts';
import type { Verb } from './command-context.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { wholeJobId } from './job-id.ts';
import { durationText, instantText, plainText, runTime, sizeText } from './plain-output.ts';

export const job: Verb = async ({ client, flags, print, clock, words }) => {
  const jobId = await wholeJobId(client, words[0]);
  const view = await client.until('job', { jobId });
  if (view === null) throw new CommandError(`This host no longer knows job ${jobId}.`);
  if (flags.json) print(JSON.stringify(view));
  else for (const line of jobLines(view, clock.nowMs())) print(plainText(line));
  return EXIT.done;
};

function jobLines(view: JobView, nowMs: number): readonly string[] {
  const { container, verdict, why } = view;
  const steps = view.timeline
    .filter(({ state }) => state !== 'todo')
    .map(
      ({ name, durationMs }) =>
        `${name}${durationMs === null ? '' : ` ${durationText(durationMs)}`}`,
    );
  return [
    `Job      ${view.jobId} (${view.title})`,
    `State    ${view.state.replace('_', ' ')}${view.phase === null ? '' : `, ${view.phase}`}${reportedWords(view)}`,
    ...(why === null ? [] : [`Why      ${why.what}`, `         ${why.remedy}`]),
    `Flow     ${view.flowId ?? 'none'}${view.repository === null ? '' : `, ${view.repository}`}`,
    `Agent    ${view.agentType}${view.image === null ? '' : `, ${view.image}`}`,
    `Accepted ${instantText(view.acceptedAtMs)}, ran ${runTime(view, nowMs)}`,
    `Steps    ${steps.join(', ')}`,
    `Log      ${view.lines} lines, ${sizeText(view.logBytes)}, ${view.sent.acknowledged} lines reported`,
    ...(view.pinned ? ['Pinned   kept until you unpin it'] : []),
    ...(container === null ? [] : [containerLine(container)]),
    ...(view.pullRequestUrl === null ? [] : [`Pull     ${view.pullRequestUrl}`]),
    ...(view.consoleUrl === null ? [] : [`Preloop  ${view.consoleUrl}`]),
    ...view.markers.map((marker) => `Marker   ${marker}`),
    ...(verdict === null ? [] : [`Verdict  ${verdict.status}, exit code ${verdict.exitCode}`]),
    ...(verdict?.report == null ? [] : ['Report', ...verdict.report.split('\n')]),
  ];
}

function reportedWords({ endedAtMs, reported }: JobView): string {
  if (endedAtMs === null) return '';
  return reported ? ', reported' : ', not yet reported';
}

function containerLine(container: NonNullable<JobView['container']>): string {
  const { id, peakMemoryBytes, memoryLimitBytes, cpuMs } = container;
  const parts = [
    id?.slice(0, 12) ?? 'not made yet',
    ...(peakMemoryBytes === null ? [] : [`${sizeText(peakMemoryBytes)} of memory at most`]),
    ...(memoryLimitBytes === null ? [] : [`limit ${sizeText(memoryLimitBytes)}`]),
    ...(cpuMs === null ? [] : [`${durationText(cpuMs)} of processor time`]),
  ];
  return `Docker   ${parts.join(', ')}`;
}
