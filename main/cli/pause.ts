/** `preloop-host pause`: takes no new jobs, at once and until resumed where nothing else is said. */
import { nextClockTime, parseDuration } from '../duration-text.ts';
import type { CommandContext, Verb } from './command-context.ts';
import { CommandError } from './exit-codes.ts';
import { sayStanding } from './steer.ts';

const MOST_NOTE = 200;

export const pause: Verb = async (context) => {
  const { client, flags } = context;
  if (flags.note !== null && flags.note.length > MOST_NOTE)
    throw new CommandError(`--note takes ${MOST_NOTE} characters at most.`);
  await client.request('host.pause', {
    when: flags.afterJobs ? 'after_jobs' : 'now',
    untilMs: untilMs(context),
    onBattery: flags.onBattery,
    note: flags.note,
  });
  return sayStanding(context);
};

function untilMs({ flags, clock }: CommandContext): number | null {
  if (flags.for !== null && flags.until !== null)
    throw new CommandError('Give --for or --until, not both.');
  if (flags.for !== null) {
    const durationMs = parseDuration(flags.for);
    if (durationMs === undefined)
      throw new CommandError('--for takes a time such as 30m, 1h or 1h30m.');
    return clock.nowMs() + durationMs;
  }
  if (flags.until === null) return null;
  const atMs = nextClockTime(flags.until, clock.nowMs());
  if (atMs === undefined) throw new CommandError('--until takes a time of day such as 18:00.');
  return atMs;
}
