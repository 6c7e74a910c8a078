import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogRecordView } from '../../../main/contract/views.ts';
import { SlowPatternError, type FindEngine } from '../../../renderer/log/find-engine.ts';
import { FindSession } from '../../../renderer/log/find-session.ts';
import {
  compile,
  hitsIn,
  type FindBatch,
  type FindQuery,
} from '../../../renderer/log/find-text.ts';
import { BLOCK_RECORDS } from '../../../renderer/log/line-block.ts';
import { LineStore } from '../../../renderer/log/line-store.ts';

const query = (text: string, more: Partial<FindQuery> = {}): FindQuery => ({
  text,
  matchCase: false,
  wholeWord: false,
  regex: false,
  ...more,
});

function batch(texts: readonly string[]): FindBatch {
  let end = 0;
  return { text: texts.join(''), ends: Uint32Array.from(texts, (text) => (end += text.length)) };
}

function find(texts: readonly string[], wanted: FindQuery): number[][] {
  const compiled = compile(wanted);
  if (!('pattern' in compiled)) throw new Error(compiled.wrong);
  const hits = [...hitsIn(batch(texts), compiled.pattern)];
  return Array.from({ length: hits.length / 3 }, (_, index) =>
    hits.slice(index * 3, index * 3 + 3),
  );
}

describe('a query', () => {
  test('ignores case unless told not to', () => {
    expect(find(['Retry retry'], query('retry'))).toEqual([
      [0, 0, 5],
      [0, 6, 11],
    ]);
    expect(find(['Retry retry'], query('retry', { matchCase: true }))).toEqual([[0, 6, 11]]);
  });

  test('of a whole word does not match within one', () => {
    expect(find(['retry retrying über-retry retry_'], query('retry', { wholeWord: true }))).toEqual(
      [
        [0, 0, 5],
        [0, 20, 25],
      ],
    );
  });

  test('is text unless it is said to be a pattern', () => {
    expect(find(['a.c abc'], query('a.c'))).toEqual([[0, 0, 3]]);
    expect(find(['a.c abc'], query('a.c', { regex: true }))).toEqual([
      [0, 0, 3],
      [0, 4, 7],
    ]);
  });

  test('finds any text in itself, at its place', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (needle, before) => {
        fc.pre(
          !`${before}${needle}`.includes('\u001b') &&
            needle.isWellFormed() &&
            before.isWellFormed(),
        );
        const starts = find([before + needle], query(needle, { matchCase: true })).map(
          ([, start]) => start,
        );
        expect(starts).toContain((before + needle).indexOf(needle));
      }),
    );
  });

  test('counts columns of the text that is shown, not of its colours', () => {
    expect(find(['\u001b[31mred\u001b[0m retry'], query('retry'))).toEqual([[0, 4, 9]]);
    expect(find(['re\u001b[31mtry'], query('retry'))).toEqual([[0, 0, 5]]);
  });

  test('does not match across records', () => {
    expect(find(['ret', 'ry'], query('retry'))).toEqual([]);
  });

  test('that matches nothing at all yields no empty hits', () => {
    expect(find(['abc'], query('x*', { regex: true }))).toEqual([]);
  });

  test('that is no pattern says why', () => {
    expect(compile(query('(', { regex: true }))).toEqual({ wrong: 'Unterminated group' });
  });
});

/** Searches at once, in this thread. */
class DirectEngine implements FindEngine {
  searched = 0;
  slow = false;
  search(wanted: FindQuery, given: FindBatch): Promise<Int32Array> {
    if (this.slow) return Promise.reject(new SlowPatternError());
    this.searched += given.ends.length;
    const compiled = compile(wanted);
    return Promise.resolve(
      'pattern' in compiled ? hitsIn(given, compiled.pattern) : new Int32Array(),
    );
  }
  stop(): void {}
}

const record = (index: number, text: string): LogRecordView => ({
  record: index,
  line: index,
  atMs: 0,
  flags: 0,
  text,
});

interface Bench {
  readonly store: LineStore;
  readonly session: FindSession;
  readonly engine: DirectEngine;
  readonly settled: () => Promise<void>;
}

function bench(lines: number): Bench {
  const store = new LineStore();
  const engine = new DirectEngine();
  let changed: () => void = () => undefined;
  const session = new FindSession(store, engine, () => changed());
  store.add(
    Array.from({ length: lines }, (_, index) =>
      record(index, index % 100 === 7 ? 'a retry and a retry' : 'line'),
    ),
  );
  return {
    store,
    session,
    engine,
    settled: () =>
      new Promise((resolve) => {
        changed = () => {
          if (session.settled) resolve();
        };
        changed();
      }),
  };
}

describe('a search in a log', () => {
  test('finds the hits of every stretch, and which is which', async () => {
    const { session, settled } = bench(1_200);
    session.search(query('retry'));
    await settled();
    expect([session.hits, session.records().length]).toEqual([24, 12]);
    expect(session.hitsOf(1_107).map(({ start, end }) => [start, end])).toEqual([
      [2, 7],
      [14, 19],
    ]);
    expect(session.hitsOf(1_108)).toEqual([]);
  });

  test('steps through hits in order, and round at both ends', async () => {
    const { session, settled } = bench(300);
    session.search(query('retry'));
    await settled();
    const places = Array.from({ length: 7 }, () => session.step(1, 0));
    expect(places.map((place) => [place?.record, place?.start])).toEqual([
      [7, 2],
      [7, 14],
      [107, 2],
      [107, 14],
      [207, 2],
      [207, 14],
      [7, 2],
    ]);
    expect(session.ordinal()).toBe(1);
    expect(session.step(-1, 0)).toEqual({ record: 207, start: 14 });
    expect(session.ordinal()).toBe(6);
  });

  test('begins with the hit at or after where one reads', async () => {
    const { session, settled } = bench(300);
    session.search(query('retry'));
    await settled();
    expect(session.step(1, 107)).toEqual({ record: 107, start: 2 });
    session.search(query('retry'));
    await settled();
    expect(session.step(-1, 107)).toEqual({ record: 107, start: 14 });
  });

  test('goes on with lines that come later, and searches none twice', async () => {
    const { session, store, engine, settled } = bench(600);
    session.search(query('retry'));
    await settled();
    store.add(
      Array.from({ length: 100 }, (_, index) =>
        record(600 + index, index === 0 ? 'retry' : 'line'),
      ),
    );
    await settled();
    expect([session.hits, engine.searched]).toEqual([13, 700]);
    expect(session.hitsOf(600)).toEqual([{ start: 0, end: 5, current: false }]);
  });

  test('that is replaced leaves nothing behind', async () => {
    const { session, settled } = bench(300);
    session.search(query('retry'));
    session.search(query('nothing'));
    await settled();
    expect([session.hits, session.records()]).toEqual([0, []]);
    session.search(null);
    expect(session.query).toBeNull();
  });

  test('whose pattern is too slow ends and says so', async () => {
    const { session, engine, settled } = bench(BLOCK_RECORDS * 3);
    engine.slow = true;
    session.search(query('(a+)+b', { regex: true }));
    await settled();
    expect([session.problem, engine.searched]).toEqual([{ kind: 'slow' }, 0]);
  });

  test('whose pattern is wrong searches nothing', async () => {
    const { session, engine, settled } = bench(10);
    session.search(query('[', { regex: true }));
    await settled();
    expect([session.problem?.kind, engine.searched]).toEqual(['wrong', 0]);
  });

  test('remembers a step that was asked for before there was a hit', async () => {
    const store = new LineStore();
    store.add([record(0, 'line'), record(1, 'retry')]);
    const found: number[] = [];
    let settle: () => void = () => undefined;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    const session = new FindSession(
      store,
      new DirectEngine(),
      () => {
        if (session.settled && session.hits > 0 && found.length > 0) settle();
      },
      (place) => found.push(place.record),
    );
    session.search(query('retry'));
    expect(session.step(1, 0)).toBeNull();
    await settled;
    expect(found).toEqual([1]);
  });
});
