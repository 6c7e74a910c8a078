#!/usr/bin/env node
/** The `preloop-host` command: one verb a file; this one reads the words and the exit codes. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../runner-core/system.ts';
import { dataPaths, defaultDataDir } from '../data-dir.ts';
import { PlaneClient } from './plane-client.ts';
import { endingLine, followExecution, readJobFile } from './submit.ts';

const USAGE = `Usage: preloop-host submit JOB.yaml [--wait] [--json] [--data-dir DIR]

  Hands a job to the host that runs with the data folder DIR, or the usual one.

  --wait   follow its log and end with 0 only when it succeeded
  --json   print the execution as one line of JSON

Exit codes: 0 done, 1 the job did not succeed, 2 the command could not be carried out.
`;

const OK = 0;
const JOB_NOT_SUCCEEDED = 1;
const NOT_CARRIED_OUT = 2;

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'data-dir': { type: 'string' },
      wait: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return OK;
  }
  const [verb, file, ...tooMany] = positionals;
  if (verb !== 'submit' || file === undefined || tooMany.length > 0) {
    process.stderr.write(`preloop-host: ${verbProblem(verb, file)}\n\n${USAGE}`);
    return NOT_CARRIED_OUT;
  }
  const root = values['data-dir'] ?? defaultDataDir(process.platform, process.env, homedir());
  const plane = await PlaneClient.of(dataPaths(resolve(root)).planeDir);
  const submitted = await plane.submit(await readJobFile(file));
  if (values.wait !== true) {
    process.stdout.write(
      values.json === true ? `${JSON.stringify(submitted)}\n` : `Submitted ${submitted.id}\n`,
    );
    return OK;
  }
  const say = (line: string): void =>
    void (values.json === true || process.stdout.write(`${line}\n`));
  say(`Submitted ${submitted.id}`);
  const ended = await followExecution(plane, submitted.id, systemClock, say);
  if (values.json === true) process.stdout.write(`${JSON.stringify(ended)}\n`);
  else say(endingLine(ended));
  return ended.status === 'SUCCEEDED' ? OK : JOB_NOT_SUCCEEDED;
}

function verbProblem(verb: string | undefined, file: string | undefined): string {
  if (verb === undefined) return 'say what to do.';
  if (verb !== 'submit') return `there is no command "${verb}".`;
  return file === undefined ? 'name a job file.' : 'name one job file only.';
}

/** Of what Node says about arguments the first sentence is enough. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const isArguments =
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  return isArguments ? `${message.split(/\. |\n/)[0] ?? ''}. All flags: --help` : message;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`preloop-host: ${messageOf(error)}\n`);
  process.exitCode = NOT_CARRIED_OUT;
}
