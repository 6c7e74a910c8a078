import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeAccessFiles } from '../../../main/api/access-files.ts';
import type { CommandContext, Flags } from '../../../main/cli/command-context.ts';
import { EXIT } from '../../../main/cli/exit-codes.ts';
import { HostClient } from '../../../main/cli/host-client.ts';
import { profiles as profilesVerb } from '../../../main/cli/profiles.ts';
import { profileRequests } from '../../../main/services/profiles/profile-requests.ts';
import { ApiBench } from '../../support/api-bench.ts';
import { aDraft, profileBench } from '../../support/profile-bench.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function bench() {
  const made = profileBench();
  const api = new ApiBench();
  const { desk, profiles } = made;
  const watched = made.until(() => {
    api.subjects.touch('profiles', 'profile try');
    return false;
  });
  void watched;
  Object.assign(api.views, {
    profiles: () => desk.view(),
    profileTry: (id: string) => desk.tryView(id),
  });
  Object.assign(api.handlers, { ...profileRequests(desk), 'profiles.list': () => profiles.list() });
  await api.start();
  const dataDir = tempDir();
  writeAccessFiles(dataDir, api.api.origin, api.signIn.newRunToken());
  const client = await HostClient.connect(dataDir);
  onTestFinished(() => client.close());
  const run = async (words: string[], flags: Partial<Flags> = {}) => {
    const lines: string[] = [];
    const context = {
      client,
      words,
      flags: { json: false, prompt: null, model: null, replace: false, all: false, ...flags },
      print: (line: string) => void lines.push(line),
    } as unknown as CommandContext;
    return { code: await profilesVerb(context), text: lines.join('\n') };
  };
  return { ...made, client, run, folder: dataDir };
}

test('the topic comes at once, and again when what is shown of profiles changed', async () => {
  const { client } = await bench();
  const first = await client.until('profiles', {});
  expect(first).toMatchObject({ profiles: [], file: { exists: false } });
  const saved = await client.request('profiles.save', { draft: aDraft(), editing: null });
  expect(saved).toEqual({ saved: true, problems: [] });
  const next = await client.until('profiles', {}, ({ profiles }) => profiles.length === 1);
  expect(next.profiles).toMatchObject([{ name: 'Review', state: 'off', runs: 0 }]);
  await client.request('profiles.turn', { name: 'review', on: true });
  await client.until('profiles', {}, ({ profiles }) => profiles[0]?.state === 'advertised');
  await client.until('profiles', {}, ({ found }) => found.state === 'done');
});

test('what is no draft is refused with its field before anything looks at it', async () => {
  const { client } = await bench();
  const draft = { ...aDraft(), timeout_seconds: 'soon' } as unknown as ReturnType<typeof aDraft>;
  await expect(client.request('profiles.check', { draft, editing: null })).rejects.toThrow(
    /draft\.timeout_seconds/,
  );
  const more = { ...aDraft(), allow_publish: true };
  await expect(client.request('profiles.save', { draft: more, editing: null })).rejects.toThrow();
});

test('a try streams over the socket to its end, and another is refused meanwhile', async () => {
  const { client } = await bench();
  await client.request('profiles.save', { draft: aDraft(), editing: null });
  const { id } = await client.request('profiles.try', { name: 'Review', prompt: 'play hang' });
  await client.until('profile_try', { id }, (view) => view?.conversation.hasEvents === true);
  await expect(
    client.request('profiles.try', { name: 'Review', prompt: 'play good' }),
  ).rejects.toThrow(/already/);
  await client.request('profiles.try_stop', { id });
  const end = await client.until('profile_try', { id }, (view) => view?.state === 'ended');
  expect(end?.reported?.status).toBe('STOPPED');
  expect(await client.until('profile_try', { id: 'another' })).toBeNull();
});

test('the command gives out, checks and brings in profile files, with an exit code for each', async () => {
  const { run, client, folder } = await bench();
  const file = join(folder, 'profiles.json');
  writeFileSync(
    file,
    JSON.stringify({
      profiles: [
        { name: 'Good', executable: 'cursor-agent' },
        { name: 'Bad', executable: 'cursor-agent', argv: ['--force'] },
      ],
    }),
  );
  const checked = await run(['check', file]);
  expect(checked.code).toBe(EXIT.notSucceeded);
  expect(checked.text).toMatch(
    /^Good: can be used\n {2}would run: .*-- <prompt>\nBad: cannot be used\n {2}argv\.0: /,
  );
  expect((await client.request('profiles.list', {})).profiles).toEqual([]);
  const brought = await run(['import', file]);
  expect(brought.code).toBe(EXIT.notSucceeded);
  expect(brought.text).toMatch(/^Good: added\nBad: refused\n/);
  const given = await run(['export']);
  expect(JSON.parse(given.text)).toEqual({
    profiles: [{ name: 'Good', executable: 'cursor-agent' }],
  });
  writeFileSync(file, given.text);
  expect((await run(['import', file])).code).toBe(EXIT.notSucceeded);
  expect(await run(['import', file], { replace: true })).toEqual({
    code: EXIT.done,
    text: 'Good: replaced',
  });
  await expect(run(['import', join(folder, 'none')])).rejects.toThrow(/cannot be read/);
  await expect(run(['dance'])).rejects.toThrow(/one of list, on, off/);
  expect(readFileSync(file, 'utf8')).toBe(given.text);
});

test('the command tries a profile and says what Preloop would have been told', async () => {
  const { run, client } = await bench();
  await client.request('profiles.save', { draft: aDraft(), editing: null });
  const good = await run(['try', 'review'], { prompt: 'play good' });
  expect(good.code).toBe(EXIT.done);
  expect(good.text).toContain('Preloop would have been told: SUCCEEDED');
  const bad = await run(['try', 'review'], { prompt: 'play rate_limit' });
  expect(bad.code).toBe(EXIT.notSucceeded);
  expect(bad.text).toContain('host_exec_rate_limited: ');
  await expect(run(['try', 'review'])).rejects.toThrow(/--prompt/);
});

test('the command turns local commands off and on for all, and tells what waits and what changed', async () => {
  const { run, client, profiles, writeFile } = await bench();
  await client.request('profiles.save', { draft: aDraft(), editing: null });
  writeFile([{ name: 'Theirs', executable: 'cursor-agent' }]);
  expect((await run(['list'])).text).toContain('Local commands are off on this machine');
  expect(await run(['on', 'review'])).toEqual({ code: EXIT.done, text: 'review is on' });
  expect((await run(['list'])).text).toMatch(/^PROFILE .*\nReview +on /);
  expect((await run(['off'], { all: true })).text).toBe('Local commands are off');
  expect(profiles.offers().profiles).toEqual([]);
  expect((await run(['on', 'theirs'])).text).toMatch(/^theirs is on\nIt waits: /);
  expect((await run(['list'])).text).toMatch(/\nReview +held back /);
  expect((await run(['on'], { all: true, json: true })).text).toBe('{"all":true,"on":true}');
  expect(profiles.offers().profiles).toHaveLength(2);
  writeFile([{ name: 'Theirs', executable: 'cursor-agent', force_writes: true }]);
  expect((await run(['list'])).text).toMatch(/\nTheirs +changed .*turned on; turn it on again/);
  await expect(run(['off', 'Review'], { all: true })).rejects.toThrow(/Either/);
});
