import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DiskReserve, RESERVE_BYTES } from '../../../main/store/disk-reserve.ts';
import type { LogFileSystem } from '../../../main/store/log-files.ts';
import { gapText } from '../../../main/store/log-gaps.ts';
import { aCursor, aJobId, aSpec, aVerdict, ChunkMaker } from '../../support/job-builders.ts';
import { linesOf } from '../../support/outgoing-lines.ts';
import { StoreBench } from '../../support/store-bench.ts';
import { tempDir } from '../../support/temp-dir.ts';

const JOB = aJobId();

/** A store on a disk that takes log bodies only while `full` is false. */
function onDisk() {
  const dir = tempDir();
  const disk = { full: false, bodies: 0 };
  const fileSystem: LogFileSystem = {
    ...fs,
    writeSync: ((...args: Parameters<typeof fs.writeSync>) => {
      disk.bodies += 1;
      if (disk.full) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return fs.writeSync(...args);
    }) as typeof fs.writeSync,
  };
  const reserve = new DiskReserve(join(dir, 'reserve'), dir);
  expect(reserve.fill()).toBe(true);
  const bench = new StoreBench(fileSystem, dir, reserve);
  bench.store.accept(aSpec(), 1);
  bench.store.transition(JOB, { kind: 'launched', atMs: 2 });
  bench.store.transition(JOB, { kind: 'started', atMs: 3 });
  const maker = new ChunkMaker();
  const append = (from: number, to: number): void =>
    bench.store.appendLog(JOB, [maker.next(to - from)], aCursor(to));
  const told = (): readonly string[] =>
    bench.store.outgoing(JOB, 0, 1_000).flatMap((batch) => linesOf(batch.lines));
  return { bench, disk, reserve, append, told };
}

const gapFrom = (from: number, to: number): string => {
  let bytes = 0;
  for (let line = from; line < to; line++) bytes += `line ${line}`.length;
  return gapText(to - from, bytes);
};

test('what finds no room is told in one line with its bytes, and the log goes on behind it', () => {
  const { bench, disk, reserve, append, told } = onDisk();
  append(0, 3);
  disk.full = true;
  append(3, 300);
  append(300, 500);
  expect(reserve.isShort).toBe(true);
  // Nothing is tried again until there is room: each try would take the room a state needs.
  expect(disk.bodies).toBe(2);
  expect(bench.store.job(JOB)).toMatchObject({ lines: 3, chunks: 1 });
  disk.full = false;
  expect(reserve.fill()).toBe(true);
  append(500, 502);
  const gap = gapFrom(3, 500);
  expect(told()).toEqual(['line 0', 'line 1', 'line 2', gap, 'line 500', 'line 501']);
  expect(gap).toContain('497 lines');
  expect(bench.store.job(JOB)).toMatchObject({ lines: 502, chunks: 4, cursor: aCursor(502) });
  const { records } = bench.store.kept.logPage(JOB, 0, 100);
  expect(records.map(({ line, text }) => `${line} ${text}`)).toEqual([
    '0 line 0',
    '1 line 1',
    '2 line 2',
    `3 ${gap}`,
    '500 line 500',
    '501 line 501',
  ]);
  bench.store.acknowledgeBatches(JOB, bench.store.job(JOB)?.batches ?? 0);
  expect(bench.store.job(JOB)).toMatchObject({ linesAcknowledged: 502 });
});

test('an end on a full disk is stored with what is missing before it', () => {
  const { bench, disk, append, told } = onDisk();
  disk.full = true;
  append(0, 40);
  bench.store.transition(JOB, { kind: 'ended', atMs: 9, verdict: aVerdict() });
  bench.reopen();
  expect(bench.store.job(JOB)?.state).toMatchObject({ kind: 'reporting', verdict: aVerdict() });
  expect(told()).toEqual([gapFrom(0, 40)]);
  expect(bench.log.events()).not.toContain('log shortened');
});

test('a host that dies on a full disk has lost nothing more: the cursor stayed before the gap', () => {
  const { bench, disk, append } = onDisk();
  append(0, 3);
  disk.full = true;
  append(3, 40);
  bench.reopen();
  expect(bench.store.job(JOB)).toMatchObject({ lines: 3, chunks: 1, cursor: aCursor(3) });
});

test('chunks that come twice while the disk is full are counted once', () => {
  const { bench, disk, reserve, told } = onDisk();
  const maker = new ChunkMaker();
  const chunk = maker.next(10);
  disk.full = true;
  bench.store.appendLog(JOB, [chunk], aCursor(10));
  bench.store.appendLog(JOB, [chunk], aCursor(10));
  disk.full = false;
  reserve.fill();
  bench.store.appendLog(JOB, [maker.next(1)], aCursor(11));
  expect(told()).toEqual([gapFrom(0, 10), 'line 10']);
});

test('a database that may not grow gives up the reserve before it fails, and works again once it may', () => {
  const { bench, reserve } = onDisk();
  const pages = Number(bench.database.pragma('page_count', { simple: true }));
  bench.database.pragma(`max_page_count = ${pages}`);
  let noted = 0;
  const note = (): void => {
    const name = `network ${noted}`;
    bench.store.noteLeftover(JOB, { kind: 'network', name, id: name.padEnd(2_000, '0') });
    noted += 1;
  };
  const fill = (): void => {
    while (noted < 5_000) note();
  };
  expect(fill).toThrow(/SQLITE_FULL/);
  expect(reserve.isShort).toBe(true);
  expect(fs.statSync(join(bench.dir, 'reserve')).size).toBe(0);
  expect(bench.store.leftovers(JOB)).toHaveLength(noted);

  bench.database.pragma('max_page_count = 1000000');
  expect(reserve.fill()).toBe(true);
  expect(fs.statSync(join(bench.dir, 'reserve')).size).toBe(RESERVE_BYTES);
  note();
  expect(bench.store.leftovers(JOB)).toHaveLength(noted);
});

test('a full disk undoes a common commit whole; each log then has its own gap, written once', () => {
  const { bench, disk, reserve, append, told } = onDisk();
  const { store } = bench;
  append(0, 3);
  disk.full = true;
  const lines = new ChunkMaker();
  lines.next(3);
  const chunk = lines.next(2);
  expect(() =>
    store.together(() => {
      store.noteLeftover(JOB, { kind: 'compose_project', name: 'undone' });
      store.appendLog(JOB, [chunk], aCursor(5));
    }),
  ).toThrow();
  expect({ short: reserve.isShort, leftovers: store.leftovers(JOB) }).toEqual({
    short: false,
    leftovers: [],
  });
  append(3, 5);
  expect(reserve.isShort).toBe(true);
  disk.full = false;
  expect(reserve.fill()).toBe(true);
  store.together(() => append(5, 7));
  store.together(() => append(7, 8));
  expect(told().slice(3)).toEqual([gapFrom(3, 5), 'line 5', 'line 6', 'line 7']);
});

test('what the next worker reads again is stored as read, with other borders, and no gap is told of it', () => {
  const { bench, disk, reserve, append, told } = onDisk();
  append(0, 3);
  disk.full = true;
  append(3, 5);
  append(5, 6);
  bench.store.rereadLog(JOB);
  disk.full = false;
  expect(reserve.fill()).toBe(true);
  const again = new ChunkMaker({ chunks: 1, lines: 3 });
  bench.store.appendLog(JOB, [again.next(4)], aCursor(7));
  expect(told()).toEqual([0, 1, 2, 3, 4, 5, 6].map((line) => `line ${line}`));
  expect(bench.store.job(JOB)).toMatchObject({ lines: 7, chunks: 2, cursor: aCursor(7) });
});
