/**
 * The shapes the page shows, as schemas: the host builds them, the page checks them on arrival. Instants
 * are epoch ms, durations ms, sizes bytes. Small and whole: a view is replaced, never patched.
 */
import * as z from 'zod';
import { engineIdentitySchema } from '../../runner-core/model/leftover.ts';

const instant = z.number();
const count = z.number().int().nonnegative();

/** `reporting` is no state here: an ended job has its outcome, and `reported` says whether Preloop knows. */
export const JOB_STATES = [
  'accepted',
  'starting',
  'running',
  'stopping',
  'succeeded',
  'failed',
  'timed_out',
  'stopped',
  'lost',
] as const;
export const jobStateSchema = z.enum(JOB_STATES);
export type JobStateName = z.infer<typeof jobStateSchema>;

export const sessionViewSchema = z.object({
  kind: z.enum(['signed_out', 'dialling', 'online', 'waiting', 'refused', 'closed']),
  sinceMs: instant,
  /** Only while waiting. */
  retryAtMs: instant.nullable(),
  attempt: count,
  /** What ended the last session, plain and short. */
  cause: z.string().nullable(),
  /** What a person can do about the cause; null where it heals by itself. */
  remedy: z.string().nullable(),
  refusal: z.enum(['unauthorized', 'gone', 'deleted', 'rotated', 'replaced']).nullable(),
});
export type SessionView = z.infer<typeof sessionViewSchema>;

export const engineViewSchema = z.object({
  kind: z.enum([
    'looking',
    'ready',
    'not_installed',
    'not_running',
    'no_permission',
    'waking_up',
    'too_old',
    'unreachable',
  ]),
  /** For example `29.1`; null unless ready. */
  version: z.string().nullable(),
  /** Where it was found, or what is wrong, in plain words. */
  reason: z.string(),
  remedy: z.string().nullable(),
});
export type EngineView = z.infer<typeof engineViewSchema>;

/** What the remedy's button does. `none`: only words. */
export const ACTIONS = [
  'none',
  'resume',
  'go_online',
  'try_now',
  'take_back',
  'check_engine',
  'run_test_job',
  'open_job',
] as const;
export const remedySchema = z.object({ action: z.enum(ACTIONS), label: z.string() });
export type RemedyView = z.infer<typeof remedySchema>;

/** The one sentence: state in ink, consequence in grey, at most one remedy. */
export const sentenceSchema = z.object({
  tone: z.enum(['quiet', 'paused', 'attention']),
  state: z.string(),
  consequence: z.string(),
  remedy: remedySchema.nullable(),
});
export type SentenceView = z.infer<typeof sentenceSchema>;

export const jobRowSchema = z.object({
  jobId: z.string(),
  state: jobStateSchema,
  /** The verdict is acknowledged. Always false while the job is held. */
  reported: z.boolean(),
  /** What a person calls it: the flow's name, else the repository's, else the agent and the start of the id. */
  title: z.string(),
  flowId: z.string().nullable(),
  repository: z.string().nullable(),
  agentType: z.string(),
  image: z.string().nullable(),
  /** The profile of a local command, as the flow names it; null for a job of a container. */
  profile: z.string().nullable(),
  acceptedAtMs: instant,
  startedAtMs: instant.nullable(),
  endedAtMs: instant.nullable(),
  lines: count,
  /** One sentence why it did not succeed. */
  reason: z.string().nullable(),
});
export type JobRow = z.infer<typeof jobRowSchema>;

/** A job in a slot. */
export const slotViewSchema = jobRowSchema.extend({
  phase: z.string().nullable(),
  progress: z.string().nullable(),
  /** The last three lines at most, as text with ANSI colours. */
  lastLines: z.array(z.string()).max(3),
  /** Accepted and not started: the owner's pause holds it back. */
  waitsForResume: z.boolean(),
  /** Middle half of this flow's earlier runs; null under five of them. */
  usual: z.object({ fromMs: z.number(), toMs: z.number() }).nullable(),
});
export type SlotView = z.infer<typeof slotViewSchema>;

/** A pause the owner chose. `active` false: for while on battery, and the machine is not. */
export const pauseViewSchema = z.object({
  when: z.enum(['now', 'after_jobs']),
  /** Null: until resumed. */
  untilMs: instant.nullable(),
  onBattery: z.boolean(),
  active: z.boolean(),
  note: z.string().nullable(),
  sinceMs: instant,
});
export type PauseView = z.infer<typeof pauseViewSchema>;

/** What jobs left in the engine. */
export const leftoversViewSchema = z.object({
  /** Failed containers that are kept for a look, with when that is over. */
  kept: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      jobId: z.string(),
      /** Where it is; left out of older entries. */
      engine: engineIdentitySchema.optional(),
      sinceMs: instant,
      untilMs: instant,
    }),
  ),
  /** Of ended jobs, removed once the engine they are in answers; `at`: which that is, null where not known. */
  waiting: z.array(
    z.object({
      kind: z.enum(['container', 'network', 'compose_project', 'process']),
      name: z.string(),
      jobId: z.string(),
      at: z.string().nullable(),
    }),
  ),
  /** Newest first. `kept_over`: its time was over; `owner`: by hand; `unowned`: its job had ended. */
  removed: z.array(
    z.object({
      atMs: instant,
      kind: z.enum(['container', 'network', 'compose_project', 'process']),
      name: z.string(),
      jobId: z.string().nullable(),
      why: z.enum(['unowned', 'kept_over', 'owner']),
    }),
  ),
});
export type LeftoversView = z.infer<typeof leftoversViewSchema>;

/** What this runner takes of the disk; each is null while it is not known, or where the owner set no limit. */
export const storageViewSchema = z.object({
  /** By our own folders, as of the last tidying. */
  usedBytes: count.nullable(),
  budgetBytes: count.nullable(),
  /** By directories of local commands, which that budget does not count. */
  localCommandBytes: count.nullable(),
  localCommandBudgetBytes: count.nullable(),
  freeBytes: count.nullable(),
  /** Below this no job is taken. */
  floorBytes: count.nullable(),
  /** About what the engine's own copies of running jobs' logs take; outside our folders and the budget. */
  engineLogBytes: count,
});
export type StorageView = z.infer<typeof storageViewSchema>;

export const overviewSchema = z.object({
  name: z.string(),
  runnerId: z.string().nullable(),
  version: z.string(),
  server: z.object({ url: z.string(), embedded: z.boolean() }),
  sentence: sentenceSchema,
  session: sessionViewSchema,
  engine: engineViewSchema,
  /** `offline`: closed on purpose. */
  intake: z.enum(['open', 'paused', 'draining', 'closed', 'offline']),
  pause: pauseViewSchema.nullable(),
  /** What else is wrong with this machine and needs a person, worst first; in the host's words. */
  faults: z.array(z.object({ id: z.string(), what: z.string(), why: z.string() })),
  slots: count,
  held: z.array(slotViewSchema),
  /** At most 24, newest first. */
  lastJobs: z.array(jobRowSchema),
  today: z.object({
    total: count,
    succeeded: count,
    failed: count,
    stopped: count,
    medianWaitMs: z.number().nullable(),
    medianRunMs: z.number().nullable(),
  }),
  jobsInAll: count,
  /**
   * What the button for a test job would run; null where no job can be submitted from here. `pullBytes`: about
   * what is fetched where the image is not local, null where that is not known or nothing is.
   */
  testJob: z
    .object({ image: z.string(), local: z.boolean(), pullBytes: count.nullable() })
    .nullable(),
  /** Ended and not yet acknowledged. */
  unreported: count,
  logBytes: count,
  storage: storageViewSchema,
  leftovers: leftoversViewSchema,
  /** Profiles of local commands that the service is told of: their jobs need no Docker. */
  localCommands: count,
  /** The service's clock minus this machine's, to the second; null while it is under half a minute or not known. */
  clockSkewMs: z.number().int().nullable(),
  /** Jobs refused for want of a permission that is still missing, newest first, at most five. */
  wantingPermission: z.array(
    z.object({ jobId: z.string(), title: z.string(), flowId: z.string(), option: z.string() }),
  ),
});
export type OverviewView = z.infer<typeof overviewSchema>;

export const stepSchema = z.object({
  name: z.string(),
  atMs: instant.nullable(),
  durationMs: z.number().nullable(),
  state: z.enum(['done', 'now', 'todo', 'failed']),
});

export const jobViewSchema = jobRowSchema.extend({
  timeline: z.array(stepSchema),
  phase: z.string().nullable(),
  progress: z.string().nullable(),
  why: z.object({ code: z.string(), what: z.string(), remedy: z.string() }).nullable(),
  /** Set where the owner's word would let the job run. */
  wantsPermission: z.object({ flowId: z.string(), option: z.string() }).nullable(),
  /** Kept whatever its age and size. */
  pinned: z.boolean(),
  verdict: z
    .object({
      status: z.enum(['SUCCEEDED', 'FAILED', 'STOPPED']),
      exitCode: z.number().int(),
      error: z.string(),
      /** The report as indented JSON text, masked; null for none. */
      report: z.string().nullable(),
      evidenceUpload: z.enum(['uploaded', 'failed', 'absent']).nullable(),
    })
    .nullable(),
  pullRequestUrl: z.string().nullable(),
  consoleUrl: z.string().nullable(),
  markers: z.array(z.string()),
  container: z
    .object({
      id: z.string().nullable(),
      imageId: z.string().nullable(),
      network: z.string().nullable(),
      memoryLimitBytes: z.number().nullable(),
      cpus: z.number().nullable(),
      pids: z.number().nullable(),
      timeLimitMs: z.number().nullable(),
      peakMemoryBytes: z.number().nullable(),
      cpuMs: z.number().nullable(),
    })
    .nullable(),
  sent: z.object({ lines: count, acknowledged: count }),
  logBytes: count,
  records: count,
  canStop: z.boolean(),
  canRunAgain: z.boolean(),
});
export type JobView = z.infer<typeof jobViewSchema>;

/** One stored piece of a line. `line` and `record` count from 0. Flags as in `runner-core/model/log-chunk.ts`. */
export const logRecordSchema = z.object({
  record: count,
  line: count,
  atMs: instant,
  flags: count,
  text: z.string(),
});
export type LogRecordView = z.infer<typeof logRecordSchema>;

export const permissionViewSchema = z.object({
  flowId: z.string(),
  option: z.enum(['docker_socket', 'host_mount', 'network']),
});
export type PermissionView = z.infer<typeof permissionViewSchema>;

/** What Health and `doctor` look at, in the order in which one explains the next. The first six are the way to the service. */
export const CHECKS = [
  'name',
  'proxy',
  'certificate',
  'web',
  'live_connection',
  'clock',
  'docker',
  'images',
  'disk',
  'store',
  'cursor',
] as const;
export const checkIdSchema = z.enum(CHECKS);
export type CheckId = z.infer<typeof checkIdSchema>;

/**
 * `skipped`: an earlier one failed, so it was not reached. `not_applicable`: nothing to check here, for example the
 * certificate of a plane on this machine. `unchecked`: not looked at since the host started.
 */
export const CHECK_STATES = [
  'ok',
  'warning',
  'failed',
  'skipped',
  'not_applicable',
  'unchecked',
] as const;
export const checkStateSchema = z.enum(CHECK_STATES);
export type CheckState = z.infer<typeof checkStateSchema>;

export const checkViewSchema = z.object({
  id: checkIdSchema,
  /** For example `Live connection`. */
  title: z.string(),
  state: checkStateSchema,
  /** One plain sentence of what was found. */
  said: z.string(),
  /** One thing to do; only where it is a warning or failed. */
  remedy: z.string().nullable(),
  /** Null where there was nothing to wait for. */
  tookMs: z.number().nullable(),
  /** Looked at right now; the rest is what was found before. */
  running: z.boolean(),
  /** By the owner: shown, but counted nowhere. */
  muted: z.boolean(),
});
export type CheckView = z.infer<typeof checkViewSchema>;

export const healthViewSchema = z.object({
  /** All of `CHECKS`, in their order. */
  checks: z.array(checkViewSchema),
  running: z.boolean(),
  /** When all were last looked at, and how long that took; null before the first time. */
  checkedAtMs: instant.nullable(),
  tookMs: z.number().nullable(),
  /** Failed or a warning, muted ones left out: the number beside Health. */
  attention: count,
  /** Failed, muted ones left out: `doctor` ends well only at 0. */
  failed: count,
  muted: count,
});
export type HealthView = z.infer<typeof healthViewSchema>;

/** What is kept of connection, engine and machine. */
export const EVENT_KINDS = [
  'started',
  'online',
  'connection_lost',
  'refused',
  'taken_over',
  'gone_offline',
  'back_online',
  'woke',
  'paused',
  'resumed',
  'docker_found',
  'docker_lost',
  'disk_low',
  'disk_recovered',
  'store_set_aside',
  'leftovers_removed',
] as const;
export const eventKindSchema = z.enum(EVENT_KINDS);
export type EventKind = z.infer<typeof eventKindSchema>;

export const eventViewSchema = z.object({
  /** Grows with each event that is kept. */
  id: count,
  kind: eventKindSchema,
  /** The first time. */
  atMs: instant,
  /** The last time; as `atMs` unless it happened again and again. */
  lastAtMs: instant,
  times: count,
  /** For example `Connection lost`. */
  title: z.string(),
  /** For example `the name preloop.example is not found`; empty for nothing to add. */
  detail: z.string(),
});
export type EventView = z.infer<typeof eventViewSchema>;

/** The topic `events` shows as many, and no more are asked of it. */
export const EVENTS_SHOWN = 200;
