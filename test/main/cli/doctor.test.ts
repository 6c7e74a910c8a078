/** The command and the page's topic, over one local API: the same answers, and the right way to end. */
import { expect, onTestFinished, test } from 'vitest';
import { writeAccessFiles } from '../../../main/api/access-files.ts';
import type { CommandContext, Flags } from '../../../main/cli/command-context.ts';
import { doctor, doctorAlone } from '../../../main/cli/doctor.ts';
import { events } from '../../../main/cli/events.ts';
import { CommandError, EXIT } from '../../../main/cli/exit-codes.ts';
import { HostClient } from '../../../main/cli/host-client.ts';
import { healthViewSchema, type CheckId } from '../../../main/contract/views.ts';
import { failed, fine, notApplicable, type Finding } from '../../../main/services/health/check.ts';
import { Health } from '../../../main/services/health/health.ts';
import { systemClock } from '../../../runner-core/system.ts';
import { allChecks } from '../../support/all-checks.ts';
import { ApiBench, MemorySettings } from '../../support/api-bench.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NO_FLAGS: Flags = {
  ...{ json: false, wait: false, follow: false, raw: false, print: false },
  ...{ since: null, grep: null, state: null, limit: null, remove: null },
  ...{ for: null, until: null, note: null, afterJobs: false, onBattery: false },
  ...{ finish: false, stop: false, leave: false, server: null, mute: null, unmute: null },
  ...{ prompt: null, model: null, replace: false, all: false },
};

async function bench(script: Partial<Record<CheckId, Finding>> = {}) {
  const api = new ApiBench();
  const health = new Health({
    clock: systemClock,
    log: new RecordedLog(),
    settings: new MemorySettings(),
    checks: () => allChecks((id) => () => script[id] ?? fine('Well.')),
    changed: () => api.subjects.touch('health'),
  });
  api.views.health = () => health.view();
  Object.assign(api.handlers, {
    'health.run': ({ check }: { check: CheckId | null }) => health.run(check),
    'health.mute': ({ check }: { check: CheckId }) => {
      health.mute(check, true);
      return {};
    },
  });
  await api.start();
  const dataDir = tempDir();
  writeAccessFiles(dataDir, api.api.origin, api.signIn.newRunToken());
  const client = await HostClient.connect(dataDir);
  onTestFinished(() => client.close());
  const run = async (verb: typeof doctor, flags: Partial<Flags> = {}, words: string[] = []) => {
    const lines: string[] = [];
    const context: CommandContext = {
      client,
      words,
      flags: { ...NO_FLAGS, ...flags },
      clock: systemClock,
      dataDir,
      environment: {},
      osName: 'linux',
      print: (line) => void lines.push(line),
      isTerminal: false,
    };
    return { code: await verb(context), lines };
  };
  return { api, client, run };
}

test('doctor --json is what the topic shows, and a failed check makes it end with 1', async () => {
  const { client, run } = await bench({ web: failed('Down.', 'Wait.') });
  const { code, lines } = await run(doctor, { json: true });
  expect(code).toBe(EXIT.notSucceeded);
  const said = healthViewSchema.parse(JSON.parse(lines.join('\n')));
  expect(said).toEqual(await client.until('health', {}));
  expect(said.checks.map(({ state }) => state)).toEqual([
    'ok',
    'ok',
    'ok',
    'failed',
    'skipped',
    'skipped',
    'ok',
    'ok',
    'ok',
    'ok',
    'ok',
  ]);
});

test('a person sees each check in order with its remedy below it, and what it adds up to', async () => {
  const { run } = await bench({ web: failed('Down.', 'Wait.'), proxy: notApplicable('None set.') });
  const { lines } = await run(doctor);
  expect(lines.map((line) => line.replace(/\d+ ms/, 'N ms').replace(/ +/g, ' '))).toEqual([
    'CHECK STATE TOOK FOUND',
    'Name ok N ms Well.',
    'Proxy no need None set.',
    'Certificate ok N ms Well.',
    'Web FAILED N ms Down.',
    ' -> Wait.',
    'Live connection not reached Not reached: see Web first.',
    'Clock not reached Not reached: see Web first.',
    'Docker ok N ms Well.',
    'Images ok N ms Well.',
    'Disk ok N ms Well.',
    'Store ok N ms Well.',
    'Cursor ok N ms Well.',
    '1 failed.',
  ]);
});

test('a muted failure does not make it end with 1, and warnings never do', async () => {
  const { run } = await bench({
    disk: failed('Full.', 'Free.'),
    clock: { state: 'warning', said: 'Off.', remedy: 'Set it.' },
  });
  expect((await run(doctor)).code).toBe(EXIT.notSucceeded);
  expect((await run(doctor, { mute: 'disk' })).code).toBe(EXIT.done);
  const { code, lines } = await run(doctor);
  expect(code).toBe(EXIT.done);
  expect(lines.at(-1)).toBe('1 warning, 1 muted.');
});

test('one check is named as it is shown, and an unknown one says which there are', async () => {
  const { run } = await bench();
  expect((await run(doctor, {}, ['Live connection'])).code).toBe(EXIT.done);
  await expect(run(doctor, {}, ['fax'])).rejects.toThrow(/no check fax\. Checks are name, proxy,/);
});

test('without a host, what only a host can do is refused as such', async () => {
  const noHost = new CommandError('No host.', EXIT.noHost);
  const context = {
    ...{
      words: [],
      clock: systemClock,
      dataDir: tempDir(),
      environment: {},
      osName: 'linux' as const,
    },
    ...{ print: () => undefined, isTerminal: false },
  } as const;
  const alone = (flags: Partial<Flags>) =>
    doctorAlone({ ...context, flags: { ...NO_FLAGS, ...flags } }, noHost);
  await expect(alone({ mute: 'disk' })).rejects.toBe(noHost);
  await expect(alone({ server: 'ftp://x' })).rejects.toThrow(/^--server: .*http or https/);
});

test('events are shown newest first with how often, and as one JSON value a line', async () => {
  const { api, run } = await bench();
  const event = { id: 7, kind: 'connection_lost', atMs: 0, lastAtMs: 60_000, times: 3 } as const;
  const lost = { ...event, title: 'Connection lost', detail: 'reset\u001b[31m' };
  let asked = 0;
  api.views.events = (limit) => {
    asked = limit;
    return { events: [lost], total: 5 };
  };
  const { lines } = await run(events, { limit: '1' });
  expect(asked).toBe(1);
  expect(lines[0]).toMatch(/^\S+ \S+ {2}Connection lost \(3 times since .*\) {2}reset$/);
  expect(lines[1]).toBe('4 more; see --limit, up to 200');
  const json = await run(events, { json: true });
  expect(json.lines.map((line) => JSON.parse(line) as unknown)).toEqual([lost]);
  await expect(run(events, { limit: '201' })).rejects.toThrow('1 to 200');
});
