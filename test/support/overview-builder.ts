/** An overview of a host that is online with two free slots; each test changes what it is about. */
import type { OverviewView, SessionView, SlotView } from '../../main/contract/views.ts';

export const SINCE_MS = Date.UTC(2026, 10, 30, 8, 41);

export function session(changes: Partial<SessionView> = {}): SessionView {
  return {
    kind: 'online',
    sinceMs: SINCE_MS,
    retryAtMs: null,
    attempt: 0,
    cause: null,
    remedy: null,
    refusal: null,
    ...changes,
  };
}

export function slot(changes: Partial<SlotView> = {}): SlotView {
  return {
    jobId: 'job-1',
    state: 'running',
    reported: false,
    title: 'Sweep dependencies',
    flowId: null,
    repository: null,
    agentType: 'codex',
    image: null,
    profile: null,
    acceptedAtMs: SINCE_MS,
    startedAtMs: SINCE_MS + 60_000,
    endedAtMs: null,
    lines: 0,
    reason: null,
    phase: null,
    progress: null,
    lastLines: [],
    waitsForResume: false,
    usual: null,
    ...changes,
  };
}

export function overview(changes: Partial<OverviewView> = {}): OverviewView {
  return {
    name: 'birch',
    runnerId: null,
    version: '0.1.0',
    server: { url: 'https://preloop.example', embedded: false },
    sentence: { tone: 'quiet', state: '', consequence: '', remedy: null },
    session: session(),
    engine: { kind: 'ready', version: '29.1', reason: '', remedy: null },
    intake: 'open',
    pause: null,
    faults: [],
    slots: 2,
    held: [],
    lastJobs: [],
    today: {
      total: 0,
      succeeded: 0,
      failed: 0,
      stopped: 0,
      medianWaitMs: null,
      medianRunMs: null,
    },
    jobsInAll: 0,
    testJob: null,
    unreported: 0,
    logBytes: 0,
    storage: {
      usedBytes: null,
      budgetBytes: null,
      localCommandBytes: null,
      localCommandBudgetBytes: null,
      freeBytes: null,
      floorBytes: null,
      engineLogBytes: 0,
    },
    leftovers: { kept: [], waiting: [], removed: [] },
    localCommands: 0,
    wantingPermission: [],
    clockSkewMs: null,
    ...changes,
  };
}
