/** What every JobStore does, whatever it keeps its jobs in. */
import { linesOf as textsOf, plainBatches } from '../support/outgoing-lines.ts';
import { describe, expect, test } from 'vitest';
import { NO_FACTS } from '../../runner-core/worker/protocol.ts';
import type { JobStore } from '../../runner-core/ports.ts';
import type { JobEvent, JobState, JobStateKind } from '../../runner-core/model/job-machine.ts';
import { nextJobState } from '../../runner-core/model/job-machine.ts';
import type { Leftover } from '../../runner-core/model/leftover.ts';
import { RECORD_FLAG } from '../../runner-core/model/log-chunk.ts';
import { LINE_SUFFIX } from '../../runner-core/wire/log-batch.ts';
import {
  aCursor,
  aJobId,
  aSpec,
  aVerdict,
  ChunkMaker,
  numberedLines,
} from '../support/job-builders.ts';

export interface JobStoreSubject {
  readonly store: JobStore;
  /** The same store as a later process finds it; the store itself where it lives in memory only. */
  reopened(): JobStore;
}

const jobId = aJobId();
const verdict = aVerdict();

/** A way into each state. */
const WAYS: Readonly<Record<JobStateKind, readonly JobEvent[]>> = {
  accepted: [],
  starting: [{ kind: 'launched', atMs: 2 }],
  running: [
    { kind: 'launched', atMs: 2 },
    { kind: 'started', atMs: 3 },
  ],
  stopping: [{ kind: 'stop_requested', atMs: 4, cause: 'owner' }],
  reporting: [{ kind: 'ended', atMs: 5, verdict }],
  settled: [
    { kind: 'ended', atMs: 5, verdict },
    { kind: 'acknowledged', atMs: 6 },
  ],
};
const EVENTS: readonly JobEvent[] = [
  { kind: 'launched', atMs: 10 },
  { kind: 'started', atMs: 11 },
  { kind: 'stop_requested', atMs: 12, cause: 'time_limit' },
  {
    kind: 'ended',
    atMs: 13,
    verdict: aVerdict({ outcome: 'timed_out', result: null, reason: null }),
  },
  { kind: 'acknowledged', atMs: 14 },
];
const TABLE = Object.keys(WAYS).flatMap((kind) =>
  EVENTS.map((event) => ({ from: kind as JobStateKind, event, kind: event.kind })),
);

export function describeJobStore(name: string, subject: () => JobStoreSubject): void {
  describe(name, () => {
    test('an accepted job is there as it was given, with nothing done yet', () => {
      const made = subject();
      made.store.accept(aSpec(), 1);
      expect(made.reopened().job(jobId)).toEqual({
        spec: aSpec(),
        state: { kind: 'accepted', sinceMs: 1 },
        acceptedAtMs: 1,
        startedAtMs: null,
        endedAtMs: null,
        lines: 0,
        chunks: 0,
        bytes: 0,
        batchSalt: expect.stringMatching(/^[0-9a-f]{18}$/) as string,
        batches: 0,
        batchesAcknowledged: 0,
        linesAcknowledged: 0,
        cursor: null,
        markers: [],
        told: null,
      });
    });

    test('a job that can never run here is kept as well', () => {
      const made = subject();
      const { flowId, flowName, repository, modelIdentifier } = aSpec();
      const spec = {
        kind: 'unrunnable',
        jobId,
        flowId,
        flowName,
        repository,
        modelIdentifier,
        agentType: 'stranger',
        report: { kind: 'host_exec', profile: 'build' },
      } as const;
      made.store.accept(spec, 1);
      expect(made.reopened().job(jobId)?.spec).toEqual(spec);
    });

    test('accepting the same id twice throws and changes nothing', () => {
      const { store } = subject();
      store.accept(aSpec(), 1);
      expect(() => store.accept(aSpec({ image: 'other:1' }), 2)).toThrow();
      expect(store.job(jobId)).toMatchObject({ spec: aSpec(), acceptedAtMs: 1 });
    });

    test('an unknown job is undefined, and an event for it throws', () => {
      const { store } = subject();
      expect(store.job(jobId)).toBeUndefined();
      expect(() => store.transition(jobId, { kind: 'launched', atMs: 1 })).toThrow();
    });

    test.each(TABLE)(
      '$from and $kind: the rule decides, and what it says is kept',
      ({ from, event }) => {
        const made = subject();
        made.store.accept(aSpec(), 1);
        for (const step of WAYS[from]) made.store.transition(jobId, step);
        const before = made.store.job(jobId)?.state;
        if (before === undefined) throw new Error('the job is gone');
        const expected = outcomeOf(() => nextJobState(before, event));

        expect(outcomeOf(() => made.store.transition(jobId, event))).toEqual(expected);
        expect(made.reopened().job(jobId)?.state).toEqual(expected.state ?? before);
      },
    );

    test('the instants of start and end are those of their events', () => {
      const made = subject();
      made.store.accept(aSpec(), 1);
      for (const event of WAYS.running) made.store.transition(jobId, event);
      made.store.transition(jobId, { kind: 'ended', atMs: 9, verdict });
      made.store.transition(jobId, { kind: 'acknowledged', atMs: 12 });
      expect(made.reopened().job(jobId)).toMatchObject({
        acceptedAtMs: 1,
        startedAtMs: 3,
        endedAtMs: 9,
      });
    });

    test('appended chunks are counted, and the cursor moves with them', () => {
      const made = subject();
      const maker = new ChunkMaker();
      const chunks = [maker.next(300), maker.next(10)];
      made.store.accept(aSpec(), 1);
      made.store.appendLog(jobId, chunks, aCursor(310));
      expect(made.reopened().job(jobId)).toMatchObject({
        chunks: 2,
        lines: 310,
        bytes: chunks.reduce((sum, chunk) => sum + chunk.rawBytes, 0),
        batches: 4,
        batchesAcknowledged: 0,
        cursor: aCursor(310),
      });
    });

    test('chunks of our own without a cursor leave the cursor where it was', () => {
      const made = subject();
      const maker = new ChunkMaker();
      made.store.accept(aSpec(), 1);
      made.store.appendLog(jobId, [maker.next(3)], aCursor(3));
      made.store.appendLog(jobId, [maker.next(1)], null);
      expect(made.reopened().job(jobId)).toMatchObject({ chunks: 2, cursor: aCursor(3) });
    });

    test('a cursor moves without chunks', () => {
      const made = subject();
      made.store.accept(aSpec(), 1);
      made.store.appendLog(jobId, [], aCursor(7));
      expect(made.reopened().job(jobId)).toMatchObject({ chunks: 0, cursor: aCursor(7) });
    });

    test('a chunk that is stored already is skipped, and a new one beside it is not', () => {
      const made = subject();
      const maker = new ChunkMaker();
      const [first, second] = [maker.next(5), maker.next(6)];
      made.store.accept(aSpec(), 1);
      made.store.appendLog(jobId, [first], aCursor(5));
      made.store.appendLog(jobId, [first, second], aCursor(11));
      made.store.appendLog(jobId, [second], aCursor(11));
      const store = made.reopened();
      expect(store.job(jobId)).toMatchObject({ chunks: 2, lines: 11, cursor: aCursor(11) });
      expect(linesOf(store)).toEqual(numberedLines(0, 11));
    });

    test('batches have the lines and boundaries they were fixed with, also after a restart', () => {
      const made = subject();
      const maker = new ChunkMaker();
      made.store.accept(aSpec(), 1);
      made.store.appendLog(jobId, [maker.next(200), maker.next(1)], null);
      made.store.appendLog(jobId, [maker.next(129)], null);
      const expected = [
        { index: 0, lines: numberedLines(0, 128) },
        { index: 1, lines: numberedLines(128, 200) },
        { index: 2, lines: numberedLines(200, 201) },
        { index: 3, lines: numberedLines(201, 329) },
        { index: 4, lines: numberedLines(329, 330) },
      ];
      expect(plainBatches(made.store.outgoing(jobId, 0, 100))).toEqual(expected);
      expect(plainBatches(made.reopened().outgoing(jobId, 0, 100))).toEqual(expected);
    });

    test('any window of batches is the same part of the whole', () => {
      const { store } = subject();
      const maker = new ChunkMaker();
      store.accept(aSpec(), 1);
      for (const lines of [200, 1, 129, 300]) store.appendLog(jobId, [maker.next(lines)], null);
      const whole = plainBatches(store.outgoing(jobId, 0, 100));
      for (let from = 0; from <= whole.length + 1; from++) {
        for (let limit = 1; limit <= whole.length + 1; limit++)
          expect(plainBatches(store.outgoing(jobId, from, limit))).toEqual(
            whole.slice(from, from + limit),
          );
      }
    });

    test('a line kept in pieces goes out as its first piece with the suffix', () => {
      const { store } = subject();
      const maker = new ChunkMaker();
      const { more, continuation } = RECORD_FLAG;
      store.accept(aSpec(), 1);
      store.appendLog(
        jobId,
        [
          maker.of([
            { atMs: 1, flags: 0, text: 'before' },
            { atMs: 2, flags: more, text: 'long' },
          ]),
          maker.of([{ atMs: 2, flags: more | continuation, text: 'er' }]),
          maker.of([
            { atMs: 2, flags: continuation, text: 'est' },
            { atMs: 3, flags: 0, text: 'after' },
          ]),
        ],
        null,
      );
      expect(linesOf(store)).toEqual(['before', `long${LINE_SUFFIX}`, 'after']);
      expect(store.job(jobId)).toMatchObject({ chunks: 3, lines: 3, batches: 2 });
    });

    test('acknowledging counts the lines of those batches and never goes back', () => {
      const made = subject();
      const maker = new ChunkMaker();
      made.store.accept(aSpec(), 1);
      made.store.appendLog(jobId, [maker.next(200), maker.next(50)], null);
      made.store.acknowledgeBatches(jobId, 1);
      expect(made.store.job(jobId)).toMatchObject({
        batchesAcknowledged: 1,
        linesAcknowledged: 128,
      });
      made.store.acknowledgeBatches(jobId, 2);
      made.store.acknowledgeBatches(jobId, 1);
      const store = made.reopened();
      expect(store.job(jobId)).toMatchObject({
        batches: 3,
        batchesAcknowledged: 2,
        linesAcknowledged: 200,
      });
      store.acknowledgeBatches(jobId, 3);
      expect(store.job(jobId)).toMatchObject({ batchesAcknowledged: 3, linesAcknowledged: 250 });
    });

    test('markers are kept in the order they were noted', () => {
      const made = subject();
      made.store.accept(aSpec(), 1);
      made.store.noteMarkers(jobId, [{ kind: 'verification', allowed: true }]);
      made.store.noteMarkers(jobId, [
        { kind: 'agent_session', agentType: 'opencode', sessionId: 'ses_abcdef' },
      ]);
      expect(made.reopened().job(jobId)?.markers).toEqual([
        { kind: 'verification', allowed: true },
        { kind: 'agent_session', agentType: 'opencode', sessionId: 'ses_abcdef' },
      ]);
    });

    test('a leftover is there once until it is forgotten, whatever the order of its keys', () => {
      const made = subject();
      const container: Leftover = { kind: 'container', id: 'a'.repeat(64), name: 'preloop-1' };
      const network: Leftover = { kind: 'network', id: 'n1', name: 'shared' };
      const project: Leftover = { kind: 'compose_project', name: 'stack' };
      made.store.accept(aSpec(), 1);
      for (const leftover of [container, network, project, container])
        made.store.noteLeftover(jobId, leftover);
      expect(made.reopened().leftovers(jobId)).toEqual([container, network, project]);

      const store = made.reopened();
      store.forgetLeftover(jobId, { name: 'preloop-1', id: 'a'.repeat(64), kind: 'container' });
      store.forgetLeftover(jobId, container);
      expect(store.leftovers(jobId)).toEqual([network, project]);
    });

    test('a leftover is noted with the engine it is in', () => {
      const made = subject();
      const engine = { id: 'ENGINE-1', at: '/var/run/docker.sock' };
      const container: Leftover = { kind: 'container', id: 'a'.repeat(64), name: 'p', engine };
      const project: Leftover = {
        kind: 'compose_project',
        name: 's',
        engine: { id: null, at: '/p' },
      };
      made.store.accept(aSpec(), 1);
      for (const leftover of [container, project]) made.store.noteLeftover(jobId, leftover);
      expect(made.reopened().leftovers(jobId)).toEqual([container, project]);
      const sameEngine = { at: engine.at, id: 'ENGINE-1' };
      made.reopened().forgetLeftover(jobId, { ...container, engine: sameEngine });
      expect(made.reopened().leftovers(jobId)).toEqual([project]);
    });

    test('what a worker told of its end stays through a stop, and the end has the last word', () => {
      const made = subject();
      const facts = { ...NO_FACTS, containerId: 'c', imageId: 'i', exitCode: 1 };
      made.store.accept(aSpec(), 1);
      for (const step of WAYS.running) made.store.transition(jobId, step);
      expect(made.store.job(jobId)?.told).toBeNull();
      made.store.noteEnding(jobId, verdict, facts);
      expect(made.reopened().job(jobId)).toMatchObject({
        state: { kind: 'running' },
        told: verdict,
      });
      const store = made.reopened();
      store.transition(jobId, { kind: 'stop_requested', atMs: 8, cause: 'owner' });
      expect(store.job(jobId)?.told).toEqual(verdict);
      const last = aVerdict({ outcome: 'lost', reason: null });
      store.transition(jobId, { kind: 'ended', atMs: 9, verdict: last });
      expect(made.reopened().job(jobId)).toMatchObject({ state: { verdict: last }, told: last });
    });

    test('unsettled gives every job but the settled, oldest first, as job does', () => {
      const made = subject();
      for (const [place, kind] of Object.keys(WAYS).entries()) {
        const id = aJobId(`job-${place}-${kind}`);
        made.store.accept(aSpec({ jobId: id }), 100 - place);
        for (const step of WAYS[kind as JobStateKind]) made.store.transition(id, step);
      }
      const store = made.reopened();
      const jobs = store.unsettled();
      expect(jobs.map((job) => job.state.kind)).toEqual([
        'accepted',
        'starting',
        'running',
        'stopping',
        'reporting',
      ]);
      expect(jobs).toEqual(jobs.map((job) => store.job(job.spec.jobId)));
    });
  });
}

function linesOf(store: JobStore): readonly string[] {
  return store.outgoing(jobId, 0, 1_000).flatMap((batch) => textsOf(batch.lines));
}

function outcomeOf(act: () => JobState): { state?: JobState; code?: unknown } {
  try {
    return { state: act() };
  } catch (error) {
    return { code: (error as { code?: unknown }).code };
  }
}
