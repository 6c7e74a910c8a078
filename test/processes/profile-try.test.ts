import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { profileTryViewSchema, type ProfileTryView } from '../../main/contract/profile-views.ts';
import { processesWith } from '../../runner-core/process/process-table.ts';
import { aDraft, profileBench } from '../support/profile-bench.ts';

type Bench = ReturnType<typeof profileBench>;

function bench(): Bench {
  const made = profileBench();
  made.desk.save({
    draft: aDraft({
      model_map: { 'house/fast': 'composer-2.5' },
      argv: ['--stream-partial-output'],
    }),
    editing: null,
  });
  return made;
}

function shown({ desk }: Bench, id: string): ProfileTryView {
  const view = desk.tryView(id);
  if (view === null) throw new Error('the run is not known');
  return profileTryViewSchema.parse(view);
}

async function ended(made: Bench, id: string): Promise<ProfileTryView> {
  await made.until(() => shown(made, id).state === 'ended');
  return shown(made, id);
}

function scratch({ home }: Bench): readonly string[] {
  const parent = join(home, 'scratch', '.preloop-host-exec');
  return existsSync(parent) ? readdirSync(parent) : [];
}

test('a good run shows its conversation, and what would have been reported, and leaves nothing', async () => {
  const made = bench();
  const { id } = made.desk.try({ name: 'review', prompt: 'play good', model: 'house/fast' });
  expect(made.desk.view().trying).toEqual({ id, name: 'Review', isOver: false });
  const view = await ended(made, id);
  expect(view.reported).toMatchObject({ status: 'SUCCEEDED', exitCode: 0, error: '', why: null });
  expect(JSON.parse(view.reported?.result ?? '')).toMatchObject({
    status: 'success',
    harness: 'cursor_cli',
    requested_model: 'house/fast',
  });
  expect(view.conversation.hasEvents).toBe(true);
  expect(view.conversation.entries.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['text', 'tool', 'result']),
  );
  expect(view.tail.length).toBe(view.lines);
  expect(view.deadlineMs - view.startedAtMs).toBe(120_000);
  expect(scratch(made)).toEqual([]);
  expect(made.desk.view().trying).toEqual({ id, name: 'Review', isOver: true });
});

test('what the run left in its folder goes with it, whatever folder the profile names', async () => {
  const made = bench();
  made.desk.save({ draft: aDraft({ workspace_root: made.home }), editing: 'Review' });
  const play = JSON.stringify([{ init: true }, { write: { path: 'made' } }, { result: true }]);
  const view = await ended(made, made.desk.try({ name: 'Review', prompt: `play ${play}` }).id);
  expect(view.reported?.status).toBe('SUCCEEDED');
  expect(scratch(made)).toEqual([]);
  expect(existsSync(join(made.home, '.preloop-host-exec'))).toBe(false);
});

test('a bad end tells its code, its sentence and one remedy', async () => {
  const made = bench();
  const view = await ended(
    made,
    made.desk.try({ name: 'Review', prompt: 'play not_signed_in' }).id,
  );
  expect(view.reported).toMatchObject({
    status: 'FAILED',
    why: { code: 'host_exec_not_signed_in' },
  });
  expect(view.reported?.error).toMatch(/^host_exec_not_signed_in: /);
  expect(view.tail.at(-1)).toMatchObject({ source: 'stderr' });
});

test('the service is told nothing of it: no job, no advertisement, only what is shown here', async () => {
  const made = bench();
  const before = made.announced();
  await ended(made, made.desk.try({ name: 'Review', prompt: 'play good' }).id);
  expect(made.announced()).toBe(before);
  expect(made.stored.store.unsettled()).toEqual([]);
  expect(made.profiles.offers().profiles).toEqual([]);
});

test('only one at a time, and a stop ends it with everything it started', async () => {
  const made = bench();
  const { id } = made.desk.try({ name: 'Review', prompt: 'play hang_with_grandchild' });
  expect(() => made.desk.try({ name: 'Review', prompt: 'play good' })).toThrow(/already/);
  await made.until(() => shown(made, id).conversation.hasEvents);
  expect(shown(made, id)).toMatchObject({ state: 'running', reported: null });
  made.desk.tryStop(id);
  const view = await ended(made, id);
  expect(view.reported).toMatchObject({ status: 'STOPPED', why: { code: 'stopped_by_owner' } });
  expect(await processesWith('PRELOOP_FLOW_EXECUTION_ID', id)).toEqual([]);
  expect(scratch(made)).toEqual([]);
  const again = made.desk.try({ name: 'Review', prompt: 'play good' });
  expect(made.desk.tryView(id)).toBeNull();
  expect(() => made.desk.tryStop(id)).toThrow();
  expect((await ended(made, again.id)).reported?.status).toBe('SUCCEEDED');
});

test('a host that ends takes the run with it', async () => {
  const made = bench();
  const { id } = made.desk.try({ name: 'Review', prompt: 'play hang_deaf' });
  await made.until(() => shown(made, id).conversation.hasEvents);
  await made.stop();
  expect(await processesWith('PRELOOP_FLOW_EXECUTION_ID', id)).toEqual([]);
  expect(scratch(made)).toEqual([]);
});

test('a worker that dies is said to have died, and its command goes', async () => {
  const made = bench();
  const launch = made.launcher.launch.bind(made.launcher);
  const workers: ReturnType<typeof launch>[] = [];
  made.launcher.launch = () => {
    const worker = launch();
    workers.push(worker);
    return worker;
  };
  const { id } = made.desk.try({ name: 'Review', prompt: 'play hang' });
  await made.until(() => shown(made, id).conversation.hasEvents);
  workers[0]?.kill();
  const { reported } = await ended(made, id);
  expect(reported?.why?.code).toBe('worker_crashed');
  expect(reported?.error).toMatch(/^worker_crashed: [A-Z]/);
  expect(await processesWith('PRELOOP_FLOW_EXECUTION_ID', id)).toEqual([]);
});

test('one that is off may be tried, and one with an error may not', () => {
  const made = bench();
  made.profiles.keep([{ name: 'Bad', executable: 'rm' }]);
  expect(() => made.desk.try({ name: 'Bad', prompt: 'play good' })).toThrow(/neither/);
  expect(() => made.desk.try({ name: 'Nobody', prompt: 'play good' })).toThrow(/no profile/);
});

test.for([
  ['', 'is empty'],
  ['x'.repeat(4_097), 'is longer than 4096 bytes'],
])('a prompt that %#: it is refused before anything starts', ([prompt = '', why = '']) => {
  const made = bench();
  expect(() => made.desk.try({ name: 'Review', prompt })).toThrow(why);
  expect(made.launcher.launches).toBe(0);
});

test('a model that the profile does not have is refused before anything starts', () => {
  const made = bench();
  expect(() => made.desk.try({ name: 'Review', prompt: 'hi', model: 'gpt-99' })).toThrow(
    /no model/,
  );
  expect(made.launcher.launches).toBe(0);
});
