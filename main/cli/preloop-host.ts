#!/usr/bin/env node
/** The `preloop-host` command: one verb a file; this one reads the words and the exit codes. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../runner-core/system.ts';
import { defaultDataDir } from '../data-dir.ts';
import type { Flags, Verb } from './command-context.ts';
import { CommandError, EXIT, type ExitCode } from './exit-codes.ts';
import { doctor, doctorAlone } from './doctor.ts';
import { events } from './events.ts';
import { HostClient } from './host-client.ts';
import { job } from './job.ts';
import { jobs } from './jobs.ts';
import { leftovers } from './leftovers.ts';
import { logs } from './logs.ts';
import { open } from './open.ts';
import { pin } from './pin.ts';
import { pause } from './pause.ts';
import { plainJson, plainText } from './plain-output.ts';
import { profiles } from './profiles.ts';
import { quit } from './quit.ts';
import { status } from './status.ts';
import { steer } from './steer.ts';
import { stop } from './stop.ts';
import { submit } from './submit.ts';

const USAGE = `Usage: preloop-host VERB [FLAGS]

  status                    what this host does, and why
  jobs [WORDS]              the newest jobs; WORDS search repository, image, flow and id
                              --state failed,lost   only these
                              --limit N             as many, 20 where nothing is said
  job ID                    one job, whole
  logs ID                   what it printed
                              -f, --follow          and what it goes on to print
                              --since 5m            not what is older
                              --grep RE             only lines that match
                              --raw                 as it was printed, without times
  stop ID                   ends a running job
  pin ID, unpin ID          keeps a job and its log for good, or no longer
  leftovers                 failed containers kept for a look, and what was removed when
                              --remove ID           removes a kept one now
  submit FILE [--wait]      hands a job to the embedded plane; with --wait follows it to its end
  open [--print]            opens the page, or prints a sign-in address for it
  pause                     starts no job; what runs goes on
                              --for 1h, --until 18:00   resumes by itself
                              --after-jobs          finishes all it has accepted first
                              --on-battery          only while the machine is on battery
                              --note TEXT           shown beside it
  resume                    takes them again
  offline, online           close the connection to Preloop, open it again

  doctor [CHECK]            what keeps this runner from working, with what to do about each;
                            works without a host as well
                              --mute CHECK, --unmute CHECK   no longer counted, counted again
                              --server URL          without a host: the way to this service
  events                    what happened to connection, Docker and disk, newest first
                              --limit N             as many, 50 where nothing is said
  profiles [on|off NAME]    the local commands flows may start here; each is off until turned on
  profiles on|off --all     local commands on this machine at all; each keeps its own switch
  profiles export [NAME]    those made here, or one, as a profile file
  profiles import FILE      keeps those of a file, off; --replace: also over ones made here
  profiles check FILE       what is wrong with them, and what they would run; keeps nothing
  profiles try NAME --prompt TEXT [--model NAME]
                            runs it here in a scratch folder; nothing is told to Preloop
  take-back                 have this runner again after another process took it over

  quit                      ends the host
                              --finish, --stop, --leave   what becomes of the jobs it runs

  --json          one JSON value, or one a line
  --data-dir DIR  the host that uses DIR

The start of an ID is enough where only one job begins so.

Exit codes: 0 done, 1 the job did not succeed (submit --wait) or a check failed (doctor), 2 the
command could not be carried out, 3 no host runs with this data folder.
`;

const VERBS: Readonly<Record<string, Verb>> = {
  status,
  jobs,
  job,
  logs,
  leftovers,
  stop,
  pin: pin('job.pin'),
  unpin: pin('job.unpin'),
  submit,
  open,
  pause,
  resume: steer('host.resume'),
  offline: steer('host.offline'),
  online: steer('host.online'),
  quit,
  'take-back': steer('host.takeBack'),
  doctor,
  profiles,
  events,
};
/** Words that may follow a verb; the others take none. */
const MOST_WORDS: Readonly<Record<string, number>> = {
  jobs: 8,
  doctor: 1,
  profiles: 2,
  job: 1,
  logs: 1,
  stop: 1,
  pin: 1,
  unpin: 1,
  submit: 1,
};

const OPTIONS = {
  'data-dir': { type: 'string' },
  json: { type: 'boolean' },
  wait: { type: 'boolean' },
  follow: { type: 'boolean', short: 'f' },
  raw: { type: 'boolean' },
  since: { type: 'string' },
  grep: { type: 'string' },
  state: { type: 'string' },
  limit: { type: 'string' },
  remove: { type: 'string' },
  print: { type: 'boolean' },
  for: { type: 'string' },
  until: { type: 'string' },
  note: { type: 'string' },
  'after-jobs': { type: 'boolean' },
  'on-battery': { type: 'boolean' },
  finish: { type: 'boolean' },
  stop: { type: 'boolean' },
  leave: { type: 'boolean' },
  server: { type: 'string' },
  mute: { type: 'string' },
  unmute: { type: 'string' },
  prompt: { type: 'string' },
  model: { type: 'string' },
  replace: { type: 'boolean' },
  all: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parse(args);
  const [name = '', ...words] = positionals;
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (values.help === true || verb === undefined) {
    if (values.help !== true && name !== '')
      throw new CommandError(`There is no verb ${name}. See preloop-host --help.`);
    (values.help === true ? process.stdout : process.stderr).write(USAGE);
    return values.help === true ? EXIT.done : EXIT.notCarriedOut;
  }
  if (words.length > (MOST_WORDS[name] ?? 0))
    throw new CommandError(
      `${name} does not take "${words.at(-1) ?? ''}". See preloop-host --help.`,
    );
  const { env, platform } = process;
  const dataDir = resolve(values['data-dir'] ?? defaultDataDir(platform, env, homedir()));
  const context = {
    words,
    flags: flagsOf(values),
    clock: systemClock,
    dataDir,
    environment: env,
    osName: platform,
    print: values.json === true ? (line: string) => print(plainJson(line)) : print,
    isTerminal: process.stdout.isTTY && (env['NO_COLOR'] ?? '') === '',
  };
  let client: HostClient;
  try {
    client = await HostClient.connect(dataDir);
  } catch (error) {
    // What keeps a host from running is what this verb is for.
    if (verb === doctor && error instanceof CommandError && error.exitCode === EXIT.noHost)
      return await doctorAlone(context, error);
    throw error;
  }
  try {
    return await verb({ ...context, client });
  } finally {
    client.close();
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : 'The flags cannot be read.');
  }
}

function flagsOf(values: ReturnType<typeof parse>['values']): Flags {
  return {
    json: values.json === true,
    wait: values.wait === true,
    follow: values.follow === true,
    raw: values.raw === true,
    print: values.print === true,
    for: values.for ?? null,
    until: values.until ?? null,
    note: values.note ?? null,
    afterJobs: values['after-jobs'] === true,
    onBattery: values['on-battery'] === true,
    finish: values.finish === true,
    stop: values.stop === true,
    leave: values.leave === true,
    since: values.since ?? null,
    grep: values.grep ?? null,
    state: values.state ?? null,
    limit: values.limit ?? null,
    remove: values.remove ?? null,
    server: values.server ?? null,
    mute: values.mute ?? null,
    unmute: values.unmute ?? null,
    prompt: values.prompt ?? null,
    model: values.model ?? null,
    replace: values.replace === true,
    all: values.all === true,
  };
}

// A reader that saw enough, such as head, closes the pipe: nothing is wrong.
process.stdout.on('error', () => process.exit(EXIT.done));
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const said = error instanceof Error ? error.message : String(error);
  process.stderr.write(`preloop-host: ${plainText(said)}\n`);
  process.exitCode = error instanceof CommandError ? error.exitCode : EXIT.notCarriedOut;
}
