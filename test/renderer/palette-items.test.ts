/** What the palette finds, and in which order. */
import { expect, test } from 'vitest';
import { matchItems, type PaletteItem } from '../../renderer/features/shell/palette-items.ts';

const item = (group: string, text: string, note = ''): PaletteItem => ({
  id: `${group} ${text}`,
  group,
  icon: 'jobs',
  text,
  note,
  act: () => undefined,
});
const ITEMS = [
  item('Places', 'Overview'),
  item('Places', 'Jobs'),
  item('Actions', 'Go offline…'),
  item('Jobs', 'overpass', '5f0c2a34'),
  item('Jobs', 'handover', '77aa0000'),
];
const found = (query: string): string[] => matchItems(ITEMS, query).map(({ item }) => item.text);

test('without a query everything is offered, in the given order', () => {
  expect(found('  ')).toEqual(ITEMS.map(({ text }) => text));
});

test('the start of a word is worth more than its middle, and groups stay together', () => {
  expect(found('over')).toEqual(['Overview', 'overpass', 'handover']);
});

test('every word has to be found, in the text or in the note', () => {
  expect(found('over 5f0c')).toEqual(['overpass']);
  expect(found('over nowhere')).toEqual([]);
});

test('marks cover the words in the text and never overlap', () => {
  const [match] = matchItems(ITEMS, 'go off offl');
  expect(match?.marks).toEqual([
    [0, 2],
    [3, 7],
  ]);
});
