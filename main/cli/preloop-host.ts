#!/usr/bin/env node
/** The `preloop-host` command: one verb a file; this one reads the words and the exit codes. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../runner-core/system.ts';
import { dataPaths, defaultDataDir } from '../data-dir.ts';
import { PlaneClient } from './plane-client.ts';
import { followExecution, readJobFile } from './submit.ts';

const USAGE = `Usage: preloop-host submit JOB.yaml [--wait] [--json] [--data-dir DIR]

  Hands a job to the embedded plane of the host that uses DIR.

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
  const [verb, file] = positionals;
  if (values.help === true || verb !== 'submit' || file === undefined || positionals.length > 2) {
    process.stdout.write(USAGE);
    return values.help === true ? OK : NOT_CARRIED_OUT;
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
  const error = ended.error_message ?? '';
  if (values.json === true) process.stdout.write(`${JSON.stringify(ended)}\n`);
  else say(error === '' ? ended.status : `${ended.status}: ${error}`);
  return ended.status === 'SUCCEEDED' ? OK : JOB_NOT_SUCCEEDED;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`preloop-host: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = NOT_CARRIED_OUT;
}
