import { describe, expect, test } from 'vitest';
import { jobViewSchema, overviewSchema } from '../../../../main/contract/views.ts';
import { engineView } from '../../../../main/services/views/engine-view.ts';
import { jobRow } from '../../../../main/services/views/job-row.ts';
import { jobView, type JobViewInput } from '../../../../main/services/views/job-view.ts';
import { overview, type OverviewInput } from '../../../../main/services/views/overview.ts';
import { phaseWords } from '../../../../main/services/views/phase-words.ts';
import { usualTime } from '../../../../main/services/views/usual-time.ts';
import type { KeptJob } from '../../../../main/store/job-rows.ts';
import { listedFrom, type ListedJob } from '../../../../main/store/listed-rows.ts';
import type { HeldJob } from '../../../../runner-core/listener/listener.ts';
import type { JobState } from '../../../../runner-core/model/job-machine.ts';
import { reason } from '../../../../runner-core/model/reason.ts';
import { NO_FACTS } from '../../../../runner-core/worker/protocol.ts';
import { aJobId, aSpec, aVerdict } from '../../../support/job-builders.ts';

const FLOW = '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f';
const SUCCEEDED = aVerdict({
  outcome: 'succeeded',
  status: 'SUCCEEDED',
  exitCode: 0,
  reason: null,
});

function kept(changes: Partial<KeptJob> = {}): KeptJob {
  return {
    order: 1,
    spec: aSpec(),
    state: { kind: 'settled', sinceMs: 9_000, verdict: aVerdict() },
    acceptedAtMs: 1_000,
    startedAtMs: 2_000,
    endedAtMs: 8_000,
    settledAtMs: 9_000,
    lines: 12,
    records: 13,
    chunks: 1,
    bytes: 400,
    batchSalt: '5f0c2a348d1e4b7a9c',
    batches: 1,
    batchesAcknowledged: 1,
    linesAcknowledged: 12,
    cursor: null,
    markers: [],
    told: null,
    facts: { ...NO_FACTS, containerId: 'c'.repeat(64), imageId: 'sha256:1' },
    logRemovedAtMs: null,
    pinned: false,
    ...changes,
  };
}

function view(job: KeptJob, changes: Partial<JobViewInput> = {}) {
  const limits = { memoryBytes: null, cpus: null, pids: null, timeLimitMs: 0, logBytes: 1 };
  const made = jobView({
    job,
    held: null,
    allowed: [],
    limits,
    consoleOrigin: 'https://preloop.example',
    embedded: false,
    ...changes,
  });
  expect(jobViewSchema.parse(made)).toEqual(made);
  return made;
}

function held(state: JobState, changes: Partial<HeldJob> = {}): HeldJob {
  return { job: kept({ state }), stage: 'working', phase: null, progress: null, ...changes };
}

const listed = (changes: Partial<ListedJob> = {}): ListedJob => ({
  ...listedFrom(kept()),
  ...changes,
});

describe('a row', () => {
  test('is called by its flow, else by its repository, else by its agent and the start of its id', () => {
    expect(jobRow(listed({ flowName: 'Sweep dependencies' })).title).toBe('Sweep dependencies');
    expect(jobRow(listed())).toMatchObject({ title: 'ledger', repository: 'nettlebed/ledger' });
    const without = jobRow(listed({ repository: null }));
    expect(without).toMatchObject({ title: 'codex 5f0c2a34', repository: null });
  });

  test.each([
    ['accepted', null, 'accepted', false],
    ['starting', null, 'starting', false],
    ['running', null, 'running', false],
    ['stopping', null, 'stopping', false],
    ['reporting', 'succeeded', 'succeeded', false],
    ['reporting', 'lost', 'lost', false],
    ['settled', 'failed', 'failed', true],
    ['settled', 'timed_out', 'timed_out', true],
    ['settled', 'stopped', 'stopped', true],
  ] as const)('of %s, %s is %s, reported %s', (state, outcome, shown, reported) => {
    expect(jobRow(listed({ state, outcome }))).toMatchObject({ state: shown, reported });
  });

  test('says why in one sentence, and nothing of a job that went well or goes on', () => {
    const why = reason('image_missing', { image: 'a:1' });
    expect(jobRow(listed({ reason: why })).reason).toBe('The image a:1 does not exist.');
    expect(jobRow(listed({ reason: null, error: 'exit 3\nmore' })).reason).toBe('exit 3');
    expect(jobRow(listed({ reason: null, error: '' })).reason).toBeNull();
    expect(jobRow(listed({ outcome: 'succeeded', reason: null, error: 'x' })).reason).toBeNull();
    expect(jobRow(listed({ outcome: null, reason: null, error: 'x' })).reason).toBeNull();
  });
});

describe('a job', () => {
  test('that failed says what, and the remedy', () => {
    expect(view(kept()).why).toEqual({
      code: 'exit_nonzero',
      what: 'The job failed with exit code 3.',
      remedy: 'Look at the end of the log for the first failure.',
    });
    expect(
      view(kept({ state: { kind: 'settled', sinceMs: 0, verdict: SUCCEEDED } })).why,
    ).toBeNull();
  });

  test('that wants a permission offers it until it is given', () => {
    const verdict = aVerdict({ reason: reason('permission_needed', { option: 'docker_socket' }) });
    const job = kept({ state: { kind: 'settled', sinceMs: 0, verdict } });
    expect(view(job).wantsPermission).toEqual({ flowId: FLOW, option: 'docker_socket' });
    expect(view(job, { allowed: ['docker_socket'] }).wantsPermission).toBeNull();
    expect(view(kept()).wantsPermission).toBeNull();
    const flowless = kept({ spec: aSpec({ flowId: null }), state: job.state });
    expect(view(flowless).wantsPermission).toBeNull();
  });

  test('can be stopped while it is held and nobody asked, and run again once it is over, here', () => {
    const can = (state: JobState, embedded: boolean): readonly boolean[] => {
      const { canStop, canRunAgain } = view(kept({ state }), { embedded });
      return [canStop, canRunAgain];
    };
    expect(can({ kind: 'running', sinceMs: 0 }, true)).toEqual([true, false]);
    expect(can({ kind: 'accepted', sinceMs: 0 }, true)).toEqual([true, false]);
    expect(can({ kind: 'stopping', sinceMs: 0, cause: 'owner' }, true)).toEqual([false, false]);
    expect(can({ kind: 'reporting', sinceMs: 0, verdict: SUCCEEDED }, true)).toEqual([false, true]);
    expect(can({ kind: 'settled', sinceMs: 0, verdict: SUCCEEDED }, false)).toEqual([false, false]);
  });

  test('has its container with the limits it was given, which may not be those of now', () => {
    const limits = { memoryBytes: 2 ** 33, cpus: 2, pids: 512, timeLimitMs: 3_600_000 };
    const facts = { ...NO_FACTS, containerId: 'c', peakMemoryBytes: 5, cpuMs: 6, limits };
    expect(view(kept({ facts })).container).toEqual({
      id: 'c',
      imageId: null,
      network: 'bridge',
      memoryLimitBytes: 2 ** 33,
      cpus: 2,
      pids: 512,
      timeLimitMs: 3_600_000,
      peakMemoryBytes: 5,
      cpuMs: 6,
    });
    expect(view(kept({ facts: NO_FACTS })).container).toBeNull();
    expect(
      view(kept({ facts: null, state: { kind: 'running', sinceMs: 0 } })).container,
    ).toMatchObject({
      id: null,
      timeLimitMs: null,
    });
  });

  test('links to its pull request and to the console of a service, not of the embedded plane', () => {
    const url = 'https://git.example/a/b/pull/1';
    const markers = [{ kind: 'pr_opened', url, branch: 'fix', provider: null }] as const;
    const shown = view(kept({ markers }));
    expect(shown).toMatchObject({
      pullRequestUrl: url,
      consoleUrl: `https://preloop.example/console/flows/executions/${aJobId()}`,
      markers: ['Pull request from fix'],
    });
    expect(view(kept(), { consoleOrigin: null }).consoleUrl).toBeNull();
  });

  test('has its report as text a person can read', () => {
    expect(view(kept()).verdict?.report).toBe(
      '{\n  "summary": "tried",\n  "steps": [\n    1,\n    2\n  ]\n}',
    );
  });
});

test.each([
  [held({ kind: 'running', sinceMs: 0 }, { phase: 'pulling' }), 'Getting the image'],
  [held({ kind: 'running', sinceMs: 0 }, { phase: 'running' }), 'Running'],
  [held({ kind: 'accepted', sinceMs: 0 }), null],
  [held({ kind: 'running', sinceMs: 0 }, { stage: 'awaiting_engine' }), 'Waiting for Docker'],
  [held({ kind: 'running', sinceMs: 0 }, { stage: 'concluding' }), 'Cleaning up'],
  [held({ kind: 'stopping', sinceMs: 0, cause: 'owner' }, { phase: 'running' }), 'Stopping'],
])('what a held job does is said in words %#', (job, words) => {
  expect(phaseWords(job)).toBe(words);
});

test('a flow has a usual time from five runs on: the middle half of them', () => {
  expect(usualTime([1, 2, 3, 4])).toBeNull();
  expect(usualTime([50, 10, 40, 20, 30])).toEqual({ fromMs: 20, toMs: 40 });
});

test('an engine is shown with where it was found, a fault with its remedy', () => {
  const engine = { version: '29.1', apiVersion: '1.51', os: 'linux', arch: 'arm64' };
  const address = { kind: 'socket', path: '/s' } as const;
  expect(engineView(null).kind).toBe('looking');
  expect(
    engineView({ ok: true, address, engine, identity: { id: null, at: '/s' }, why: 'DOCKER_HOST' }),
  ).toEqual({
    kind: 'ready',
    version: '29.1',
    reason: 'Found by DOCKER_HOST.',
    remedy: null,
  });
  const failure = { kind: 'too_old', reason: 'Old.', remedy: 'Update.', where: null } as const;
  expect(engineView({ ok: false, failure })).toEqual({
    kind: 'too_old',
    version: null,
    reason: 'Old.',
    remedy: 'Update.',
  });
});

describe('the overview', () => {
  const INPUT: OverviewInput = {
    name: 'birch-14',
    runnerId: null,
    version: '0.1.0',
    server: { url: 'http://127.0.0.1:1', embedded: true },
    session: { kind: 'online', sinceMs: 5, capacity: 2 },
    awaySinceMs: null,
    engine: null,
    intake: 'open',
    pause: null,
    offlineSinceMs: null,
    nowMs: 0,
    slots: 2,
    held: [],
    lastJobs: [listed()],
    today: {
      total: 9,
      byOutcome: new Map([
        ['succeeded', 4],
        ['failed', 1],
        ['lost', 1],
        ['timed_out', 1],
        ['stopped', 1],
      ]),
      medianWaitMs: 1,
      medianRunMs: 2,
    },
    jobsInAll: 9,
    unreported: 0,
    logBytes: 0,
    leftovers: { kept: [], waiting: [], removed: [] },
    localCommands: 0,
    testJob: null,
    refused: [],
    allowed: () => [],
    enrolment: null,
    clockSkewMs: null,
    timeZone: 'UTC',
  };
  const shown = (changes: Partial<OverviewInput> = {}) => {
    const made = overview({ ...INPUT, ...changes });
    expect(overviewSchema.parse(made)).toEqual(made);
    return made;
  };

  test('counts with the failed what ran out of time or was lost', () => {
    expect(shown().today).toEqual({
      total: 9,
      succeeded: 4,
      failed: 3,
      stopped: 1,
      medianWaitMs: 1,
      medianRunMs: 2,
    });
  });

  test('calls a closed session offline only while jobs would be taken', () => {
    const session = { kind: 'closed', sinceMs: 0 } as const;
    const intakes = (['open', 'paused', 'draining', 'closed'] as const).map(
      (intake) => shown({ intake, session }).intake,
    );
    expect(intakes).toEqual(['offline', 'offline', 'draining', 'closed']);
    expect(shown({ intake: 'paused' }).intake).toBe('paused');
  });

  test('lists each permission that is missing once, five at most, and none that was given', () => {
    const wanting = (flowId: string, option: string): ListedJob =>
      listed({ flowId, reason: reason('permission_needed', { option }) });
    const refused = [
      wanting('a', 'network'),
      wanting('a', 'network'),
      wanting('given', 'network'),
      ...['b', 'c', 'd', 'e', 'f'].map((flow) => wanting(flow, 'docker_socket')),
    ];
    const allowed = (flowId: string | null) => (flowId === 'given' ? (['network'] as const) : []);
    const found = shown({ refused, allowed }).wantingPermission;
    expect(found.map(({ flowId, option }) => `${flowId} ${option}`)).toEqual([
      'a network',
      'b docker_socket',
      'c docker_socket',
      'd docker_socket',
      'e docker_socket',
    ]);
  });

  test('shows a busy slot with its last lines and its usual time', () => {
    const job = held({ kind: 'running', sinceMs: 0 }, { phase: 'running', progress: '3 of 4' });
    const slot = {
      held: job,
      listed: listedFrom(job.job),
      lastLines: ['a', 'b'],
      runTimesMs: [1, 2, 3, 4, 5],
    };
    expect(shown({ held: [slot] }).held).toMatchObject([
      {
        phase: 'Running',
        progress: '3 of 4',
        lastLines: ['a', 'b'],
        usual: { fromMs: 2, toMs: 4 },
        state: 'running',
      },
    ]);
  });

  test.each([
    ['paused', 'now', true, 'Waiting until you resume'],
    ['paused', 'after_jobs', false, 'Waiting for Preloop to send it again'],
    ['open', 'now', false, 'Waiting for Preloop to send it again'],
  ] as const)(
    'with intake %s and a pause %s an unstarted job waits: %j',
    (intake, when, waits, phase) => {
      const job = {
        ...held({ kind: 'accepted', sinceMs: 0 }),
        stage: 'awaiting_redelivery',
      } as const;
      const slot = { held: job, listed: listedFrom(job.job), lastLines: [], runTimesMs: [] };
      const pause = {
        ...{ when, untilMs: null, onBattery: false, active: true, note: null, sinceMs: 0 },
      } as const;
      const made = shown({ held: [slot], intake, pause });
      expect(made.held).toMatchObject([{ waitsForResume: waits, phase }]);
    },
  );
});
