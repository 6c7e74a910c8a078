/**
 * Local commands at work, whole: the built host and the embedded plane, without Docker, and a stand-in for Cursor. One
 * good run, then each of the bad ends. Ends with 0 only when every end is what it has to be and nothing is left.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BAD_RUNS,
  badRunProfiles,
  takeAway,
  withoutModel,
  type BadRun,
} from './host-exec/bad-runs.ts';
import { HostExecGround, type ProfileEntry } from './host-exec/ground.ts';

const asJson = process.argv.includes('--json');
const say = (line: string): void => void (asJson || process.stdout.write(`${line}\n`));
/** A lease that is not taken at once met a heartbeat; it is given again. */
const TAKEN_WITHIN_MS = 15_000;
const TRIES = 3;

interface BadEnd {
  readonly kind: string;
  readonly verdict: string;
  readonly code: string;
}

async function demo(): Promise<boolean> {
  const beside = await realpath(await mkdtemp(join(tmpdir(), 'preloop-host-exec-beside-')));
  const profiles = await badRunProfiles(beside);
  const ground = await HostExecGround.open({
    profiles,
    concurrency: 4,
    echo: (line) => say(`host │ ${line}`),
  });
  const ids: string[] = [];
  try {
    const good = await goodRun(ground, ids);
    const set = { ground, profiles, beside, ids };
    const others = BAD_RUNS.filter(({ takenAway }) => takenAway === undefined);
    const ends = new Map<string, BadEnd>();
    await Promise.all(
      others.map(async (bad) => void ends.set(bad.kind, await badRun(ground, bad, ids))),
    );
    for (const bad of BAD_RUNS)
      if (!ends.has(bad.kind)) ends.set(bad.kind, await spoiltRun(set, bad));
    const leftovers =
      (await ground.survivors(ids)) +
      (await ground.leakedDirectories()).length +
      (await ground.leakedDirectories(join(beside, 'root'))).filter(
        (name) => name !== 'cursor-agent',
      ).length +
      ground.notedLeftovers();
    const bad_runs = BAD_RUNS.map(({ kind }) => ends.get(kind) ?? { kind, verdict: '', code: '' });
    const isRight =
      good.isFresh &&
      good.verdict === 'SUCCEEDED' &&
      leftovers === 0 &&
      BAD_RUNS.every(
        ({ code }, index) => bad_runs[index]?.verdict === 'FAILED' && bad_runs[index].code === code,
      );
    const { verdict, completion_protocol, directory } = good;
    if (asJson)
      process.stdout.write(
        `${JSON.stringify({ verdict, completion_protocol, directory, bad_runs, leftovers })}\n`,
      );
    else {
      say(`\n${verdict}, told by ${completion_protocol}, in ${directory}`);
      for (const { kind, verdict: end, code } of bad_runs) say(`${kind.padEnd(28)}${end}  ${code}`);
      say(`${leftovers} things left behind.`);
    }
    return isRight;
  } finally {
    await ground.close();
    await rm(beside, { recursive: true, force: true });
  }
}

interface GoodEnd {
  readonly verdict: string;
  readonly completion_protocol: string;
  readonly directory: string;
  readonly isFresh: boolean;
}

/** A lease for a local command is only accepted by that protocol, so the service's word for it is proof of both. */
async function goodRun(ground: HostExecGround, ids: string[]): Promise<GoodEnd> {
  const id = await ground.submit({
    host_exec_profile: 'Demo',
    prompt:
      'play [{"init":true},{"write":{"path":"made-here"}},{"assistant":"Done."},{"result":true}]',
    model_identifier: 'house/fast',
  });
  ids.push(id);
  const execution = await ground.ended(id);
  const starts = (await ground.receipts(id)).filter(({ what }) => what === 'start');
  const directory = starts[0]?.cwd ?? '';
  const expected = join(ground.workspaces, '.preloop-host-exec', id.toLowerCase());
  return {
    verdict: execution?.status ?? 'NOT ENDED',
    completion_protocol: ground.leasedProtocol(id),
    directory: directory.replace(ground.folder, '…'),
    isFresh: starts.length === 1 && directory === expected,
  };
}

async function badRun(
  ground: HostExecGround,
  bad: BadRun,
  ids: string[],
  limitMs?: number,
): Promise<BadEnd> {
  const id = await ground.submit({
    host_exec_profile: bad.profile,
    prompt: `play ${bad.play}`,
    ...(bad.model === undefined ? {} : { model_identifier: bad.model }),
  });
  ids.push(id);
  const execution = await ground.ended(id, limitMs);
  if (execution === null) await ground.stopJob(id);
  const told = /^([a-z_]+):/.exec(execution?.error_message ?? '')?.[1] ?? '';
  return { kind: bad.kind, verdict: execution?.status ?? 'NOT ENDED', code: told };
}

interface SpoiltSet {
  readonly ground: HostExecGround;
  readonly profiles: readonly ProfileEntry[];
  /** The folder the profiles' commands are in. */
  readonly beside: string;
  readonly ids: string[];
}

/** The service only leases what was offered: the owner takes it away in between. */
async function spoiltRun(
  { ground, profiles, beside, ids }: SpoiltSet,
  bad: BadRun,
): Promise<BadEnd> {
  const spoil = async (isBack: boolean): Promise<void> => {
    const { takenAway: what } = bad;
    if (what === 'model') await ground.writeProfiles(isBack ? profiles : withoutModel(profiles));
    else if (what !== undefined) await takeAway(what, beside, isBack);
  };
  for (let tries = 1; ; tries++) {
    await spoil(false);
    const end = await badRun(ground, bad, ids, TAKEN_WITHIN_MS);
    await spoil(true);
    if (end.verdict === 'FAILED' || tries === TRIES) return end;
    await ground.turnOn(bad.profile);
  }
}

try {
  process.exitCode = (await demo()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
