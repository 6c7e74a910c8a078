import { expect, test } from 'vitest';
import { ConversationShelf } from '../../../../main/services/profiles/conversation-shelf.ts';
import { RECORD_FLAG, type LogRecord } from '../../../../runner-core/model/log-chunk.ts';
import type { HostExecSpec } from '../../../../runner-core/model/job-spec.ts';
import { systemClock } from '../../../../runner-core/system.ts';
import { aJobId, aSpec, aVerdict, ChunkMaker } from '../../../support/job-builders.ts';
import { StoreBench } from '../../../support/store-bench.ts';

const jobId = aJobId();
const SPEC: HostExecSpec = {
  kind: 'host_exec',
  jobId,
  flowId: null,
  flowName: null,
  agentType: 'cursor',
  repository: null,
  modelIdentifier: null,
  report: { kind: 'host_exec', profile: 'review' },
  profileName: 'review',
  timeoutSeconds: null,
};
const event = (value: object): string => JSON.stringify(value);
const said = (text: string): string =>
  event({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
const stdout = (text: string, flags = 0): LogRecord => ({ atMs: 1_000, flags, text });

function bench() {
  const stored = new StoreBench();
  const { store } = stored;
  const maker = new ChunkMaker();
  const changed = new Set<() => void>();
  const shelf = new ConversationShelf({
    clock: systemClock,
    log: stored.log,
    store,
    changed: () => {
      for (const look of changed) look();
    },
  });
  store.accept(SPEC, 1);
  store.transition(jobId, { kind: 'launched', atMs: 2 });
  store.transition(jobId, { kind: 'started', atMs: 3 });
  const append = (...records: readonly LogRecord[]): void =>
    store.appendLog(jobId, [maker.of(records)], null);
  const end = (): void =>
    void store.transition(jobId, { kind: 'ended', atMs: 9, verdict: aVerdict() });
  const whole = (): Promise<NonNullable<ReturnType<typeof shelf.head>>> =>
    new Promise((resolve) => {
      const look = (): void => {
        const head = shelf.head(jobId);
        if (head === null || head.readRecords < head.records) return;
        changed.delete(look);
        resolve(head);
      };
      changed.add(look);
      look();
    });
  const entries = (offset = 0, limit = 200) => shelf.page({ jobId, offset, limit }).entries;
  return { stored, shelf, append, end, whole, entries };
}

test('a log reads as what was said and done, and grows with it', async () => {
  const { shelf, append, end, whole, entries } = bench();
  append(
    stdout(event({ type: 'system', subtype: 'init', model: 'Composer', session_id: 's-1' })),
    stdout(said('I will look.')),
  );
  expect(await whole()).toMatchObject({
    model: 'Composer',
    hasEvents: true,
    complete: false,
    total: 1,
  });
  append(
    stdout(
      event({
        type: 'tool_call',
        subtype: 'started',
        call_id: 'c',
        tool_call: { readToolCall: { args: { path: 'a.ts' } } },
      }),
    ),
    stdout('[runner] started once more'),
    stdout('warning: none', RECORD_FLAG.stderr),
  );
  const head = await whole();
  expect(head.total).toBe(4);
  expect(entries().map(({ kind }) => kind)).toEqual(['text', 'tool', 'plain', 'plain']);
  expect(entries(2, 2)).toMatchObject([
    { source: 'runner', text: 'started once more' },
    { source: 'stderr', text: 'warning: none' },
  ]);
  append(
    stdout(
      event({
        type: 'tool_call',
        subtype: 'completed',
        call_id: 'c',
        tool_call: { readToolCall: { result: { success: {} } } },
      }),
    ),
  );
  end();
  expect((await whole()).revision).toBeGreaterThan(head.revision);
  expect(entries(1, 1)).toMatchObject([{ kind: 'tool', state: 'done' }]);
  expect(shelf.head(jobId)?.complete).toBe(true);
});

test('a line of several records is one event, and has its place in the log', async () => {
  const { shelf, append, whole, entries } = bench();
  const line = said('x'.repeat(100));
  append(
    stdout(line.slice(0, 50), RECORD_FLAG.more),
    stdout('in between', RECORD_FLAG.stderr),
    stdout(line.slice(50), RECORD_FLAG.continuation),
  );
  await whole();
  expect(entries()).toMatchObject([
    { kind: 'plain', source: 'stderr' },
    { kind: 'text', text: 'x'.repeat(100) },
  ]);
  expect(shelf.page({ jobId, offset: 0, limit: 200 }).places).toEqual([
    { first: 1, last: 1 },
    { first: 0, last: 2 },
  ]);
});

test('there is none of a job of a container, of an unknown one, nor of a log that is gone', () => {
  const { stored, shelf } = bench();
  const other = aJobId('5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c02');
  stored.store.accept(aSpec({ jobId: other }), 5);
  for (const id of [other, aJobId('5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c03'), 'nonsense']) {
    expect(shelf.head(id)).toBeNull();
    expect(() => shelf.page({ jobId: id, offset: 0, limit: 1 })).toThrow(/no conversation/);
  }
});

test('more entries than anybody reads are counted and left to the log, and the result is kept', async () => {
  const { shelf, append, whole, entries } = bench();
  const call = (at: number): LogRecord =>
    stdout(
      event({
        type: 'tool_call',
        subtype: 'started',
        call_id: `c${at}`,
        tool_call: { lsToolCall: { args: { path: `${at}` } } },
      }),
    );
  for (let at = 0; at < 6_000; at += 1_000)
    append(...Array.from({ length: 1_000 }, (_, place) => call(at + place)));
  append(stdout(event({ type: 'result', subtype: 'success', is_error: false, result: 'Done.' })));
  expect(await whole()).toMatchObject({ total: 5_001, leftOut: 1_000 });
  expect(entries(5_000)).toMatchObject([{ kind: 'result', isGood: true }]);
  // Read in many pieces: the numbers go on from one to the next.
  expect(shelf.page({ jobId, offset: 4_999, limit: 2 }).places).toEqual([
    { first: 4_999, last: 4_999 },
    { first: 6_000, last: 6_000 },
  ]);
});
