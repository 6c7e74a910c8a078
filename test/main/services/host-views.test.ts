/** What the page is shown of a real store, and what it can ask for. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Subjects } from '../../../main/api/subjects.ts';
import { PlaneRequestError } from '../../../main/cli/plane-client.ts';
import { REQUESTS } from '../../../main/contract/requests.ts';
import { overviewSchema } from '../../../main/contract/views.ts';
import { hostRequests, type HostRequestsDeps } from '../../../main/services/host-requests.ts';
import { HostViews } from '../../../main/services/host-views.ts';
import { OwnerChoice, type OwnerChoiceDeps } from '../../../main/services/owner-choice.ts';
import { DEFAULT_TEST_IMAGE, TestJob } from '../../../main/services/test-job.ts';
import { openSettingsFile } from '../../../main/settings-file.ts';
import type { HeldJob } from '../../../runner-core/listener/listener.ts';
import type { JobId } from '../../../runner-core/model/ids.ts';
import { reason } from '../../../runner-core/model/reason.ts';
import type { SessionState } from '../../../runner-core/model/session-state.ts';
import { MemorySettings } from '../../support/api-bench.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { idleHealth } from '../../support/idle-health.ts';
import { aJobId, aSpec, aVerdict, ChunkMaker } from '../../support/job-builders.ts';
import { StoreBench } from '../../support/store-bench.ts';

const FLOW = '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f';
const JOB = aJobId();
/** Noon, so that today is the same day in every zone of the machine. */
const NOON = new Date(2026, 10, 30, 12).getTime();

function hostBench({ embedded = true } = {}) {
  const clock = new FakeClock(NOON);
  const { store, log, dir } = new StoreBench();
  const settingsPath = join(dir, 'settings.yaml');
  const settings = openSettingsFile(settingsPath, log);
  const subjects = new Subjects();
  const engine = new FakeEngine();
  const held = new Set<JobId>();
  const acts: string[] = [];
  const submitted: unknown[] = [];
  let session: SessionState = { kind: 'online', sinceMs: NOON, capacity: 2 };
  let planeProblem: Error | null = null;
  const listener: OwnerChoiceDeps['listener'] &
    HostRequestsDeps['listener'] & { intake: 'open'; held(): readonly HeldJob[] } = {
    get session() {
      return session;
    },
    intake: 'open',
    held: () =>
      [...held].flatMap((jobId) => {
        const job = store.job(jobId);
        return job === undefined
          ? []
          : [{ job, stage: 'working' as const, phase: 'running' as const, progress: null }];
      }),
    stopJob: (jobId) => held.has(jobId),
    pause: () => void acts.push('pause'),
    resume: () => void acts.push('resume'),
    goOffline: () => void acts.push('offline'),
    goOnline: () => void acts.push('online'),
    retry: () => void acts.push('retry'),
  };
  const choice = new OwnerChoice({
    clock,
    log,
    settings: new MemorySettings(),
    listener,
    power: null,
    changed: () => subjects.touch('overview'),
  });
  const testJob = new TestJob({
    log,
    configured: () => settings.testImage(),
    engine: () => engine,
    changed: () => subjects.touch('overview'),
  });
  const idle = idleHealth();
  const views = new HostViews({
    clock,
    store,
    listener,
    settings,
    engine: () => null,
    identity: () => null,
    machineName: 'this-machine',
    version: '0.1.0',
    server: () => ({ url: 'http://127.0.0.1:1', embedded }),
    slots: () => 2,
    leftovers: () => ({ kept: [], waiting: [], removed: [] }),
    localCommands: () => 0,
    testJob: () => (embedded ? testJob.image : null),
    enrolment: () => null,
    skew: () => null,
    choice,
    ...idle,
    timeZone: 'UTC',
  });
  const requests = hostRequests({
    listener,
    choice,
    quit: (how) => void acts.push(`quit ${how}`),
    store,
    views,
    settings,
    engines: { look: () => Promise.reject(new Error('not asked for')) },
    leftovers: { removeKept: (id) => Promise.resolve(void acts.push(`remove ${id}`)) },
    testJob,
    plane: embedded
      ? () => ({
          submit: (definition) => {
            if (planeProblem !== null) return Promise.reject(planeProblem);
            submitted.push(definition);
            return Promise.resolve({ id: 'new-job', status: 'PENDING' });
          },
        })
      : null,
    ...idle,
    subjects,
    signInUrl: () => 'http://127.0.0.1:1/#code=c',
  });
  const run = (jobId = JOB, lines = 0): void => {
    store.accept(aSpec({ jobId, flowId: FLOW }), NOON);
    store.transition(jobId, { kind: 'launched', atMs: NOON });
    store.transition(jobId, { kind: 'started', atMs: NOON + 5 });
    if (lines > 0) store.appendLog(jobId, [new ChunkMaker().next(lines)], null);
    held.add(jobId);
  };
  const end = (jobId = JOB, changes: Parameters<typeof aVerdict>[0] = {}): void => {
    store.transition(jobId, { kind: 'ended', atMs: NOON + 50, verdict: aVerdict(changes) });
    held.delete(jobId);
  };
  const go = (state: SessionState): void => {
    session = state;
    views.sessionChanged();
  };
  const failPlane = (problem: Error): void => void (planeProblem = problem);
  return {
    clock,
    store,
    views,
    requests,
    settings,
    settingsPath,
    subjects,
    engine,
    acts,
    submitted,
    run,
    end,
    go,
    failPlane,
  };
}

const codeOf = async (act: () => unknown): Promise<unknown> => {
  try {
    await act();
    return null;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

describe('the overview', () => {
  test('of a host that never ran a job offers the test job, and fits the contract', () => {
    const view = hostBench().views.overview();
    expect(overviewSchema.parse(view)).toEqual(view);
    expect(view).toMatchObject({
      name: 'this-machine',
      testJob: { image: DEFAULT_TEST_IMAGE, local: false },
      jobsInAll: 0,
    });
  });

  test('shows a held job with its last three lines, and an ended one below', () => {
    const { views, run, end } = hostBench();
    run(aJobId('first'));
    end(aJobId('first'));
    run(JOB, 10);
    expect(views.overview()).toMatchObject({
      held: [{ jobId: JOB, phase: 'Running', lastLines: ['line 7', 'line 8', 'line 9'] }],
      lastJobs: [{ jobId: 'first', state: 'failed', reported: false }],
      today: { total: 2, failed: 1, medianWaitMs: 5, medianRunMs: 45 },
      unreported: 1,
    });
  });

  test('says since when the session is away, over all tries to have it back', () => {
    const { views, go } = hostBench();
    const waiting = { kind: 'waiting', retryAtMs: 0, attempt: 1, cause: 'x' } as const;
    go({ ...waiting, sinceMs: 1_000 });
    go({ kind: 'dialling', sinceMs: 2_000, attempt: 1 });
    go({ ...waiting, sinceMs: 3_000, attempt: 2 });
    expect(views.overview().session.sinceMs).toBe(1_000);
    go({ kind: 'online', sinceMs: 4_000, capacity: null });
    go({ ...waiting, sinceMs: 5_000 });
    expect(views.overview().session.sinceMs).toBe(5_000);
  });
});

describe('the list', () => {
  test('has every state among its counts, and its page fits the contract', async () => {
    const { requests, run, end } = hostBench();
    run(aJobId('first'));
    end(aJobId('first'));
    run();
    const page = await requests['jobs.page']({
      filter: { states: ['failed'] },
      offset: 0,
      limit: 50,
    });
    expect(REQUESTS['jobs.page'].result.parse(page)).toEqual(page);
    expect(page).toMatchObject({ total: 1, rows: [{ jobId: 'first' }] });
    expect(page.counts).toMatchObject({ running: 1, failed: 1, lost: 0 });
  });

  test('has another revision after each change, and after a start of the host', async () => {
    const { views, clock } = hostBench();
    const before = views.jobs().revision;
    views.jobsChanged();
    expect(views.jobs().revision).toBe(before + 1);
    await clock.advance(60_000);
    expect(hostBench().views.jobs().revision).not.toBe(views.jobs().revision);
  });
});

describe('a log', () => {
  test('comes in stretches that meet, and is complete when the job ended and all was given', () => {
    const { views, run, end } = hostBench();
    run(JOB, 10);
    const first = views.log(JOB, 0, 4);
    expect(first.view).toMatchObject({ nextRecord: 4, complete: false });
    expect(first.more).toBe(true);
    expect(views.log(JOB, 4, 100)).toMatchObject({ view: { complete: false }, more: false });
    end();
    expect(views.log(JOB, 4, 100).view).toMatchObject({ nextRecord: 10, complete: true });
    expect(views.log(JOB, 10, 100).view).toEqual({ records: [], nextRecord: 10, complete: true });
    expect(views.log(JOB, 0, 4).view.complete).toBe(false);
  });

  test('of a job that is not known yet is empty and not complete', () => {
    const { views } = hostBench();
    for (const id of ['unknown', '../etc/passwd'])
      expect(views.log(id, 0, 10)).toEqual({
        view: { records: [], nextRecord: 0, complete: false },
        more: false,
      });
  });

  test('that was removed is complete and empty', () => {
    const { views, store, run, end } = hostBench();
    run(JOB, 10);
    end();
    store.transition(JOB, { kind: 'acknowledged', atMs: NOON + 60 });
    store.removeLog(JOB, NOON + 70);
    expect(views.log(JOB, 0, 10).view).toEqual({ records: [], nextRecord: 0, complete: true });
  });
});

describe('a request', () => {
  test('to stop a job that is over, or unknown, says so', async () => {
    const { requests, run, end } = hostBench();
    run();
    expect(await codeOf(() => requests['job.stop']({ jobId: JOB }))).toBeNull();
    end();
    expect(await codeOf(() => requests['job.stop']({ jobId: JOB }))).toBe('not_running');
    expect(await codeOf(() => requests['job.stop']({ jobId: 'nope' }))).toBe('unknown_job');
    expect(await codeOf(() => requests['job.stop']({ jobId: '../x' }))).toBe('unknown_job');
  });

  test('to run a job again starts its flow anew, once it is over', async () => {
    const { requests, run, end, submitted } = hostBench();
    run();
    expect(await codeOf(() => requests['job.run_again']({ jobId: JOB }))).toBe('not_ended');
    end();
    expect(await requests['job.run_again']({ jobId: JOB })).toEqual({ jobId: 'new-job' });
    expect(submitted).toEqual([{ flow_id: FLOW }]);
  });

  test('to submit is told what the plane says, in its words', async () => {
    const { requests, failPlane } = hostBench();
    failPlane(new PlaneRequestError('script: is missing'));
    await expect(requests['job.submit']({ definition: {} })).rejects.toMatchObject({
      problem: { code: 'job_refused', message: 'script: is missing.' },
    });
  });

  test('that needs the embedded plane is refused where a service is configured', async () => {
    const { requests, run, end } = hostBench({ embedded: false });
    run();
    end();
    const acts = [
      () => requests['job.submit']({ definition: {} }),
      () => requests['job.test']({}),
      () => requests['job.run_again']({ jobId: JOB }),
    ];
    for (const act of acts) expect(await codeOf(act)).toBe('not_embedded');
  });

  test('to go online also ends a wait and takes a runner back', () => {
    const { requests, go, acts } = hostBench();
    void requests['host.online']({});
    go({ kind: 'waiting', sinceMs: 0, retryAtMs: 0, attempt: 1, cause: 'x' });
    void requests['host.online']({});
    go({ kind: 'refused', sinceMs: 0, refusal: 'replaced' });
    void requests['host.online']({});
    go({ kind: 'closed', sinceMs: 0 });
    void requests['host.online']({});
    expect(acts).toEqual(['online', 'retry', 'retry', 'online']);
  });

  test('to take the runner back dials where another process has it, and is refused otherwise', () => {
    const { requests, acts, go } = hostBench();
    go({ kind: 'refused', sinceMs: 0, refusal: 'replaced' });
    void requests['host.takeBack']({});
    for (const refusal of ['rotated', 'gone'] as const) {
      go({ kind: 'refused', sinceMs: 0, refusal });
      expect(() => requests['host.takeBack']({})).toThrow('No other process has taken over');
    }
    go({ kind: 'online', sinceMs: 0, capacity: 2 });
    expect(() => requests['host.takeBack']({})).toThrow('No other process has taken over');
    expect(acts).toEqual(['retry']);
  });

  test('that steers is shown at once', () => {
    const { requests, subjects } = hostBench();
    let shown = 0;
    subjects.watch('overview', () => void (shown += 1));
    for (const name of ['host.pause', 'host.resume', 'host.offline', 'host.online'] as const)
      void requests[name]({});
    expect(shown).toBe(4);
  });

  test('to allow is written down, seen by the job that wants it, and can be taken back', async () => {
    const { requests, views, subjects, settings, run, end } = hostBench();
    run();
    end(JOB, { reason: reason('permission_needed', { option: 'network' }) });
    const given = { flowId: FLOW, option: 'network' } as const;
    expect(views.job(JOB)?.wantsPermission).toEqual(given);
    let seen = 0;
    subjects.watch(`job ${JOB}`, () => void (seen += 1));
    await requests['permission.allow'](given);
    expect([seen, views.job(JOB)?.wantsPermission, settings.allowed(FLOW)]).toEqual([
      1,
      null,
      ['network'],
    ]);
    expect(views.permissions()).toEqual({ allowed: [given], problem: null });
    await requests['permission.revoke'](given);
    expect(views.permissions().allowed).toEqual([]);
    expect(views.overview().wantingPermission).toMatchObject([given]);
  });
});

describe('the test job', () => {
  const look = async (bench: ReturnType<typeof hostBench>) => {
    await bench.requests['job.test']({});
    return bench.views.overview().testJob;
  };

  test('runs in the image that is there already', async () => {
    const bench = hostBench();
    bench.engine.images.set('preloop-runner-host-test:bookworm', {
      id: 'sha256:a',
      environment: [],
    });
    expect(await look(bench)).toEqual({
      image: 'preloop-runner-host-test:bookworm',
      local: true,
      pullBytes: null,
    });
    expect(bench.submitted).toMatchObject([{ image: 'preloop-runner-host-test:bookworm' }]);
  });

  test('prefers the usual image where both are there', async () => {
    const bench = hostBench();
    for (const name of [DEFAULT_TEST_IMAGE, 'preloop-runner-host-test:bookworm'])
      bench.engine.images.set(name, { id: 'sha256:a', environment: [] });
    expect(await look(bench)).toMatchObject({ image: DEFAULT_TEST_IMAGE, local: true });
  });

  test('runs in the image the owner names, there or not, and in no other', async () => {
    const bench = hostBench();
    bench.engine.images.set('preloop-runner-host-test:bookworm', {
      id: 'sha256:a',
      environment: [],
    });
    writeFileSync(bench.settingsPath, 'test_image: debian:bookworm-slim\n');
    expect(await look(bench)).toEqual({
      image: 'debian:bookworm-slim',
      local: false,
      pullBytes: null,
    });
  });

  test('is offered all the same while the engine does not answer', async () => {
    const bench = hostBench();
    bench.engine.failNext('image', 'away', 'ECONNREFUSED', null);
    expect(await look(bench)).toMatchObject({ image: DEFAULT_TEST_IMAGE, local: false });
  });
});
