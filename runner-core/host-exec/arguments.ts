/** The command line of a host job: what the runner adds, in its fixed order, around the owner's arguments. */
import { aliasOf, type HostProfile } from '../model/host-profile.ts';

export { promptProblem } from '../wire/host-lease.ts';

export interface ArgumentOrder {
  /** The directory made for this job; absolute. */
  readonly workspace: string;
  readonly prompt: string;
  /** What the flow asked for, a key of the profile's model map; null for none. */
  readonly model: string | null;
  /** Whether this build of Cursor knows `--trust`; builds without it refuse to start when given it. */
  readonly hasTrust: boolean;
}

/** Everything behind the executable. Throws where the model has no alias: that is a job refused earlier. */
export function buildArguments(profile: HostProfile, order: ArgumentOrder): readonly string[] {
  const { argv } = profile;
  const alias = order.model === null ? null : aliasOf(profile, order.model);
  if (alias === undefined) throw new RangeError('the model is not in the model map of the profile');
  return [
    ...(has(argv, '--print', '-p') ? [] : ['--print']),
    ...(has(argv, '--output-format') ? [] : ['--output-format', 'stream-json']),
    ...(addsTrust(profile) && order.hasTrust ? ['--trust'] : []),
    ...argv,
    '--workspace',
    order.workspace,
    ...(profile.forceWrites ? ['--force'] : []),
    ...(alias === null ? [] : ['--model', alias]),
    '--',
    order.prompt,
  ];
}

/** Whether the runner gives trust for the directory itself: neither the owner nor `--force` does. */
export function addsTrust(profile: HostProfile): boolean {
  return profile.trustWorkspace && !profile.forceWrites && !has(profile.argv, '--trust');
}

function has(argv: readonly string[], ...flags: readonly string[]): boolean {
  return argv.some((argument) => flags.includes(argument.split('=', 1)[0] ?? ''));
}
