/** What is shown of the profiles of local commands, and what the page gives to check or keep. */
import * as z from 'zod';
import { PROFILE_PROBLEM_CODES } from '../../runner-core/model/host-profile.ts';
import { conversationEntrySchema } from './conversation-views.ts';
import { jobStateSchema } from './views.ts';

const instant = z.number();
const count = z.number().int().nonnegative();
const sourceSchema = z.enum(['client', 'own']);
/** `client`: of the public client's file, which is only ever read. `own`: made in this app. */
export type ProfileSourceName = z.infer<typeof sourceSchema>;

export const profileProblemSchema = z.object({
  code: z.enum(PROFILE_PROBLEM_CODES),
  /** `error`: it is left out. `warning`: it is used as it is. */
  severity: z.enum(['error', 'warning']),
  index: z.number().int().nullable(),
  profile: z.string().nullable(),
  /** Key of a draft, such as `name`, `argv.2`, `pass_env.0`, `model_map` or `model_map.house/fast`; '' for the whole. */
  field: z.string(),
  reason: z.string(),
  remedy: z.string(),
});
export type ProfileProblemView = z.infer<typeof profileProblemSchema>;

/**
 * `advertised`: the service is told of it. `off`: fine, and off. `changed`: it was on, and went off since it would run
 * something else now; one turn turns it on as it is. `left_out`: it cannot be used, or it is on and its executable cannot
 * be started, and the first of `problems` says why. `all_off`: on, while local commands are off on this machine.
 */
const profileStateSchema = z.enum(['advertised', 'off', 'changed', 'left_out', 'all_off']);
export type ProfileStateName = z.infer<typeof profileStateSchema>;

export const hostProfileSchema = z.object({
  name: z.string(),
  executable: z.string(),
  argv: z.array(z.string()).readonly(),
  workspaceRoot: z.string().nullable(),
  timeoutSeconds: z.number(),
  forceWrites: z.boolean(),
  modelMap: z.record(z.string(), z.string()),
  passEnv: z.array(z.string()).readonly(),
  trustWorkspace: z.boolean(),
  lingerSeconds: z.number(),
  lingeredIsSuccess: z.boolean(),
  stallSeconds: z.number(),
});

/** The answer of `profiles.list`, for the command line; it starts nothing and looks at nothing but the file. */
export const profileListSchema = z.object({
  /** Whether local commands may run on this machine at all. */
  isAllowed: z.boolean(),
  profiles: z
    .array(
      z.object({
        name: z.string(),
        source: sourceSchema,
        isOn: z.boolean(),
        state: profileStateSchema,
        /** Null: it cannot be used, and `problems` say why. */
        profile: hostProfileSchema.nullable(),
        problems: z.array(profileProblemSchema).readonly(),
      }),
    )
    .readonly(),
  /** Of a source as a whole, and of entries without a readable name. */
  problems: z.array(profileProblemSchema.extend({ source: sourceSchema })).readonly(),
  /** Where the client's file is looked for; '' where it is nowhere. */
  file: z.string(),
});

/**
 * One profile as the form has it: the keys of a profile file, all of them. What a profile may hold is told by
 * `profiles.check` as problems with their field; the bounds here only keep a request small.
 */
export const profileDraftSchema = z.strictObject({
  name: z.string().max(1_024),
  executable: z.string().max(8_192),
  argv: z.array(z.string().max(16_384)).max(256),
  /** '': a folder of this host. */
  workspace_root: z.string().max(8_192),
  /** Whole seconds. 0: 30 minutes. */
  timeout_seconds: z.number(),
  force_writes: z.boolean(),
  model_map: z.record(z.string().max(1_024), z.string().max(1_024)),
  pass_env: z.array(z.string().max(1_024)).max(256),
  trust_workspace: z.boolean(),
  linger_seconds: z.number(),
  lingered_is_success: z.boolean(),
  /** 0: never. */
  stall_seconds: z.number(),
});
export type ProfileDraft = z.infer<typeof profileDraftSchema>;

/** What an empty form begins with. */
export const EMPTY_DRAFT: ProfileDraft = {
  name: '',
  executable: 'cursor-agent',
  argv: [],
  workspace_root: '',
  timeout_seconds: 0,
  force_writes: false,
  model_map: {},
  pass_env: [],
  trust_workspace: true,
  linger_seconds: 20,
  lingered_is_success: false,
  stall_seconds: 0,
};

/**
 * The command line, one part an argument, quoted as a shell reads it. `profile`: of the profile. `runner`: added by this app
 * (dotted). `job`: filled in per job (boxed), such as `<job>`, `<model>` and `<prompt>`.
 */
export const commandPartSchema = z.object({
  text: z.string(),
  from: z.enum(['profile', 'runner', 'job']),
});
export type CommandPart = z.infer<typeof commandPartSchema>;

export const wouldRunSchema = z.object({
  parts: z.array(commandPartSchema),
  /** The same in one line, to be copied. */
  line: z.string(),
  /** The real file that would be started; null where none is found, and `problem` says why. Not looked for yet: both null. */
  resolved: z.string().nullable(),
  problem: z.object({ code: z.string(), reason: z.string(), remedy: z.string() }).nullable(),
});
export type WouldRunView = z.infer<typeof wouldRunSchema>;

export const profileViewSchema = z.object({
  /** Unique without regard to case; what every request names it by. */
  name: z.string(),
  source: sourceSchema,
  /** Its own switch. */
  isOn: z.boolean(),
  state: profileStateSchema,
  /** Errors first. */
  problems: z.array(profileProblemSchema),
  /** As it was written. */
  executable: z.string(),
  /** For the form, and to duplicate; null where the entry cannot be read as one. */
  draft: profileDraftSchema.nullable(),
  /** Null for one that is left out for what it says itself. */
  wouldRun: wouldRunSchema.nullable(),
  /** What flows may ask for, sorted; empty: Cursor's own choice only. */
  models: z.array(z.string()),
  /** What counts: its own, or 30 minutes. */
  timeoutSeconds: z.number(),
  /** Newest first, at most five. */
  lastRuns: z.array(
    z.object({
      jobId: z.string(),
      state: jobStateSchema,
      acceptedAtMs: instant,
      endedAtMs: instant.nullable(),
    }),
  ),
  /** Runs that are still kept in the history. */
  runs: count,
});
export type ProfileView = z.infer<typeof profileViewSchema>;

/** One of Cursor's two names, searched as a job would. */
export const foundExecutableSchema = z.object({
  name: z.enum(['cursor-agent', 'agent']),
  /** The real file; null: not found, or refused, and `problem` says why. */
  path: z.string().nullable(),
  problem: z.object({ code: z.string(), reason: z.string(), remedy: z.string() }).nullable(),
  /** As `--version` says; null where it said nothing within 5 s. */
  version: z.string().nullable(),
  /** As `status` says, asked for at most 10 s; `unknown`: it did not say. `not_checked`: it was not asked, nor its version. */
  login: z.enum(['signed_in', 'signed_out', 'unknown', 'not_checked']),
});
export type FoundExecutable = z.infer<typeof foundExecutableSchema>;

export const profilesViewSchema = z.object({
  /** Whether local commands may run on this machine at all. */
  isAllowed: z.boolean(),
  file: z.object({
    /** Where the client's file is looked for; '' where the variable names no full path. */
    path: z.string(),
    /** By PRELOOP_RUNNER_HOST_PROFILES. */
    isOverridden: z.boolean(),
    exists: z.boolean(),
  }),
  /** Of the client's file, or of our own list, as a whole, and of entries without a readable name. */
  problems: z.array(profileProblemSchema.extend({ source: sourceSchema })),
  /** Own ones first, then those of the client's file, in their order. */
  profiles: z.array(profileViewSchema),
  /**
   * Cursor on this machine. It is started for its version and login by `profiles.recheck`, and when this topic is watched
   * while a profile is advertised, never by itself. `not_yet`: it was not; where its names lead is told once that is seen.
   */
  found: z.object({
    state: z.enum(['not_yet', 'looking', 'done']),
    checkedAtMs: instant.nullable(),
    executables: z.array(foundExecutableSchema),
  }),
  /** *Show exactly what is sent*: what the service is told of profiles, as indented JSON text. */
  sent: z.string(),
  /** The run of *Try it*, if one goes on or was the last; watch `profile_try` with its id. */
  trying: z.object({ id: z.string(), name: z.string(), isOver: z.boolean() }).nullable(),
});
export type ProfilesView = z.infer<typeof profilesViewSchema>;

/** Per profile of an import, in its order. */
export const importedSchema = z.object({
  index: count,
  /** '' where it has no readable name. */
  name: z.string(),
  /** `added` and `replaced` are kept, and off (a replaced one that runs the same stays as it was turned); `refused` is not. */
  outcome: z.enum(['added', 'replaced', 'refused']),
  problems: z.array(profileProblemSchema),
});
export type ImportedProfile = z.infer<typeof importedSchema>;

export const TRY_TAIL_LINES = 200;
export const TRY_PROMPT_MAX_BYTES = 4_096;

/** One *Try it*. Replaced whole, four times a second at most. */
export const profileTryViewSchema = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(['starting', 'running', 'stopping', 'ended']),
  startedAtMs: instant,
  endedAtMs: instant.nullable(),
  /** When it is ended at the latest. */
  deadlineMs: instant,
  conversation: z.object({
    model: z.string().nullable(),
    sessionId: z.string().nullable(),
    hasEvents: z.boolean(),
    /** The last 100 at most. */
    entries: z.array(conversationEntrySchema),
    /** Earlier ones that are not among them. */
    earlier: count,
  }),
  /** The end of the raw output, at most TRY_TAIL_LINES lines of at most 2,000 characters. */
  tail: z.array(
    z.object({ text: z.string(), source: z.enum(['stdout', 'stderr', 'runner']), atMs: instant }),
  ),
  lines: count,
  /** What Preloop would have been told; null until it ended. */
  reported: z
    .object({
      status: z.enum(['SUCCEEDED', 'FAILED', 'STOPPED']),
      exitCode: z.number().int(),
      /** '' for none. */
      error: z.string(),
      /** As indented JSON text; null for none. */
      result: z.string().nullable(),
      /** Stable code, sentence and remedy; null for a good end. Only for the person here. */
      why: z.object({ code: z.string(), what: z.string(), remedy: z.string() }).nullable(),
    })
    .nullable(),
});
export type ProfileTryView = z.infer<typeof profileTryViewSchema>;
