/** Which part of a conversation the page fetches, shows, and lets go. */
import { expect, test } from 'vitest';
import type { ConversationEntryView } from '../../main/contract/conversation-views.ts';
import { ConversationPages, PAGE_TURNS } from '../../renderer/features/job/conversation-pages.ts';

interface Bench {
  readonly pages: ConversationPages;
  readonly asked: number[];
  /** The conversation as the host has it. */
  entries: ConversationEntryView[];
  fails: boolean;
  changes: number;
  grow(count: number): Promise<void>;
}

const text = (index: number): ConversationEntryView => ({ kind: 'text', text: `turn ${index}` });
const openTool = (index: number): ConversationEntryView => ({
  kind: 'tool',
  callId: `c-${index}`,
  tool: 'read',
  name: 'read',
  subject: 'a.ts',
  detail: '',
  output: '',
  exitCode: null,
  lines: null,
  isBackground: false,
  state: 'open',
  durationMs: null,
});

function bench(): Bench {
  let revision = 0;
  const made: Bench = {
    asked: [],
    entries: [],
    fails: false,
    changes: 0,
    pages: new ConversationPages({
      page: (offset, limit) => {
        made.asked.push(offset / PAGE_TURNS);
        if (made.fails) return Promise.reject(new Error('away'));
        const entries = made.entries.slice(offset, offset + limit);
        // Each turn is of two records.
        const places = entries.map((_, index) => ({
          first: 2 * (offset + index),
          last: 2 * (offset + index) + 1,
        }));
        return Promise.resolve({ entries, places });
      },
      rest: () => Promise.resolve(),
      changed: () => {
        made.changes += 1;
      },
    }),
    async grow(count) {
      const from = made.entries.length;
      made.entries.push(...Array.from({ length: count }, (_, index) => text(from + index)));
      revision += 1;
      made.pages.update({ total: made.entries.length, revision });
      await made.pages.idle();
    },
  };
  return made;
}

const shownOf = ({ pages }: Bench): readonly [first: number, count: number] => [
  pages.shown.before,
  pages.shown.entries.length,
];
/** What is shown is what the host has, from the first turn shown to the end. */
const isWhole = ({ pages, entries }: Bench): boolean =>
  JSON.stringify(pages.shown.entries) === JSON.stringify(entries.slice(pages.shown.before));

test('of a long conversation the end is fetched, and nothing else', async () => {
  const long = bench();
  await long.grow(6_050);
  expect(long.asked).toEqual([29, 30]);
  expect(shownOf(long)).toEqual([29 * PAGE_TURNS, 250]);
  expect(isWhole(long)).toBe(true);
});

test('earlier turns come a page at a time, until there are none', async () => {
  const talk = bench();
  await talk.grow(3 * PAGE_TURNS);
  talk.pages.follow(false);
  talk.pages.earlier();
  await talk.pages.idle();
  expect(shownOf(talk)).toEqual([0, 3 * PAGE_TURNS]);
  talk.pages.earlier();
  await talk.pages.idle();
  expect(talk.asked).toEqual([1, 2, 0]);
  expect(isWhole(talk)).toBe(true);
});

test('what grows is fetched at its end alone; a call that is open is looked at again', async () => {
  const talk = bench();
  talk.entries = [openTool(0)];
  await talk.grow(2 * PAGE_TURNS - 1);
  talk.pages.follow(false);
  await talk.grow(PAGE_TURNS);
  talk.asked.length = 0;
  await talk.grow(1);
  expect(talk.asked).toEqual([0, 2, 3]);
  talk.entries[0] = text(0);
  await talk.grow(1);
  talk.asked.length = 0;
  await talk.grow(1);
  expect(talk.asked).toEqual([2, 3]);
  expect(isWhole(talk)).toBe(true);
});

test('who follows the end holds only some pages; who reads earlier ones loses none', async () => {
  const followed = bench();
  const read = bench();
  for (let step = 0; step < 12; step += 1) {
    await followed.grow(PAGE_TURNS);
    await read.grow(PAGE_TURNS);
    read.pages.follow(false);
  }
  expect(followed.pages.shown.entries.length).toBeLessThanOrEqual(4 * PAGE_TURNS);
  expect(isWhole(followed)).toBe(true);
  expect(shownOf(read)).toEqual([0, 12 * PAGE_TURNS]);
});

test('what changes while a page is on its way is fetched after it', async () => {
  const talk = bench();
  const first = talk.grow(10);
  const second = talk.grow(10);
  await Promise.all([first, second]);
  expect(talk.pages.shown.entries.length).toBe(20);
});

test('a request that fails is told, and the next value tries again', async () => {
  const talk = bench();
  await talk.grow(5);
  talk.fails = true;
  await talk.grow(5);
  expect(talk.pages.hasFailed).toBe(true);
  expect(talk.pages.shown.entries.length).toBe(5);
  talk.fails = false;
  await talk.grow(1);
  expect(talk.pages.hasFailed).toBe(false);
  expect(isWhole(talk)).toBe(true);
});

test('nothing is asked of an empty conversation, and the same value twice asks once', async () => {
  const talk = bench();
  await talk.grow(0);
  expect(talk.asked).toEqual([]);
  await talk.grow(3);
  talk.pages.update({ total: 3, revision: 2 });
  await talk.pages.idle();
  expect(talk.asked).toEqual([0]);
});

test('a host that reads the log anew tells fewer turns at first, and the end is found again', async () => {
  const talk = bench();
  await talk.grow(900);
  talk.pages.update({ total: 10, revision: 99 });
  await talk.pages.idle();
  expect(talk.pages.shown.before).toBe(0);
  talk.pages.update({ total: 900, revision: 100 });
  await talk.pages.idle();
  expect(isWhole(talk)).toBe(true);
  expect(talk.pages.shown.before + talk.pages.shown.entries.length).toBe(900);
});

test('the turn of a record is found, and earlier turns are fetched for one that lies before', async () => {
  const long = bench();
  await long.grow(1_050);
  expect(await long.pages.turnOf(2 * 1_049 + 1)).toBe(1_049);
  const changes = long.changes;
  expect(await long.pages.turnOf(2 * 250)).toBe(250);
  // Drawn once, however many pages lie between.
  expect(long.changes - changes).toBe(1);
  expect(shownOf(long)).toEqual([200, 850]);
  expect(isWhole(long)).toBe(true);
});

test('while the end is followed a search for a turn loses no page it fetched', async () => {
  const long = bench();
  await long.grow(2_000);
  const found = long.pages.turnOf(0);
  await long.grow(5);
  expect(await found).toBe(0);
});

test('where an earlier page cannot be had, the turn is not found and the search ends', async () => {
  const long = bench();
  await long.grow(1_050);
  long.fails = true;
  expect(await long.pages.turnOf(0)).toBeNull();
});
