/** Every request: name → input schema, result schema. Failures are `problem`s: a code, plain words, one remedy. */
import * as z from 'zod';
import {
  CONVERSATION_PAGE_MAX,
  conversationEntrySchema,
  recordRangeSchema,
} from './conversation-views.ts';
import {
  importedSchema,
  profileDraftSchema,
  profileListSchema,
  profileProblemSchema,
  wouldRunSchema,
} from './profile-views.ts';
import {
  checkIdSchema,
  healthViewSchema,
  jobRowSchema,
  jobStateSchema,
  logRecordSchema,
  permissionViewSchema,
} from './views.ts';

const done = z.object({});
const jobRef = z.strictObject({ jobId: z.string() });

export const jobFilterSchema = z.strictObject({
  states: z.array(jobStateSchema).optional(),
  /** Matches title, flow, repository, image and id, ignoring case. */
  text: z.string().max(200).optional(),
});
export type JobFilter = z.infer<typeof jobFilterSchema>;

export const REQUESTS = {
  'jobs.page': {
    input: z.strictObject({
      filter: jobFilterSchema,
      offset: z.number().int().nonnegative(),
      limit: z.number().int().min(1).max(200),
    }),
    result: z.object({
      rows: z.array(jobRowSchema),
      /** Of those that match. */
      total: z.number().int(),
      /** By state, of all jobs. */
      counts: z.record(jobStateSchema, z.number().int()),
      revision: z.number().int(),
    }),
  },
  'log.page': {
    input: z.strictObject({
      jobId: z.string(),
      fromRecord: z.number().int().nonnegative(),
      limit: z.number().int().min(1).max(5_000),
    }),
    result: z.object({ records: z.array(logRecordSchema), nextRecord: z.number().int() }),
  },
  'job.stop': { input: jobRef, result: done },
  /** A pinned job is kept whatever its age, and its log whatever the room it takes. */
  'job.pin': { input: jobRef, result: done },
  'job.unpin': { input: jobRef, result: done },
  /** The embedded plane only. */
  'job.run_again': { input: jobRef, result: z.object({ jobId: z.string() }) },
  'job.submit': {
    input: z.strictObject({ definition: z.record(z.string(), z.unknown()) }),
    result: z.object({ jobId: z.string() }),
  },
  /** A small job on an image that is there, pulled, or made from nothing; `image` says which. */
  'job.test': { input: z.strictObject({}), result: z.object({ jobId: z.string() }) },
  /** What is left out: at once, until resumed, without a note. It replaces a pause there is. */
  'host.pause': {
    input: z.strictObject({
      /**
       * `after_jobs`: all that was accepted is finished first. `now`: what runs goes on, and what was accepted
       * and not started waits. Nothing new is taken either way.
       */
      when: z.enum(['now', 'after_jobs']).optional(),
      untilMs: z.number().nullable().optional(),
      onBattery: z.boolean().optional(),
      note: z.string().max(200).nullable().optional(),
    }),
    result: done,
  },
  'host.resume': { input: z.strictObject({}), result: done },
  'host.offline': { input: z.strictObject({}), result: done },
  'host.online': { input: z.strictObject({}), result: done },
  /** After another process took over this runner: this one has it again, and the other is told. */
  'host.takeBack': { input: z.strictObject({}), result: done },
  /** Ends the host; answered before it does. `drain` finishes what is held, `leave` lets containers run on. */
  'host.quit': {
    input: z.strictObject({ how: z.enum(['drain', 'stop', 'leave']) }),
    result: done,
  },
  /** A new single-use address of the page, for another window or the command line. */
  'page.address': { input: z.strictObject({}), result: z.object({ url: z.string() }) },
  /** `id`: how a kept container's id, or its job's, begins. */
  'leftover.remove': { input: z.strictObject({ id: z.string().min(1).max(200) }), result: done },
  /** Null: all of them. Answered when they are done; the topic `health` shows each as it comes. */
  'health.run': {
    input: z.strictObject({ check: checkIdSchema.nullable() }),
    result: healthViewSchema,
  },
  /** Remembered until unmuted. */
  'health.mute': { input: z.strictObject({ check: checkIdSchema }), result: done },
  'health.unmute': { input: z.strictObject({ check: checkIdSchema }), result: done },
  /** The local commands of this machine that flows may name, and those they may not yet. */
  'profiles.list': { input: z.strictObject({}), result: profileListSchema },
  /** What is wrong with a draft, by field, and what it would run. `editing`: the own profile it is an edit of; null: a new one. */
  'profiles.check': {
    input: z.strictObject({ draft: profileDraftSchema, editing: z.string().nullable() }),
    result: z.object({
      /** No error: it can be saved. */
      isUsable: z.boolean(),
      problems: z.array(profileProblemSchema),
      /** Null while it is not usable. */
      wouldRun: wouldRunSchema.nullable(),
    }),
  },
  /** Keeps an own profile where the draft has no error; otherwise nothing is kept and `problems` say why. A new one is off. */
  'profiles.save': {
    input: z.strictObject({ draft: profileDraftSchema, editing: z.string().nullable() }),
    result: z.object({ saved: z.boolean(), problems: z.array(profileProblemSchema) }),
  },
  /** An own one; those of the client's file are not ours to remove (`not_own`). */
  'profiles.remove': { input: z.strictObject({ name: z.string() }), result: done },
  /** Of an own one or one of the client's file; the copy is ours, off, and named as the answer says. */
  'profiles.duplicate': {
    input: z.strictObject({ name: z.string() }),
    result: z.object({ name: z.string() }),
  },
  /** `text`: a profile file. Good ones are kept, and off; bad ones are told. `replace`: own ones of the same name go. */
  'profiles.import': {
    input: z.strictObject({ text: z.string(), replace: z.boolean() }),
    result: z.object({
      /** Of the text as a whole; then nothing was taken. */
      problems: z.array(profileProblemSchema),
      profiles: z.array(importedSchema),
    }),
  },
  /** As text of a profile file. Null: all own ones. A name may be of the client's file too. */
  'profiles.export': {
    input: z.strictObject({ names: z.array(z.string()).max(64).nullable() }),
    result: z.object({ text: z.string() }),
  },
  /** Reads the file and looks for Cursor anew; answered when that is done. */
  'profiles.recheck': { input: z.strictObject({}), result: done },
  /**
   * Runs a short prompt in a scratch folder, two minutes at most; nothing is told to the service. One at a time
   * (`try_running`); refused while the profile has errors (`profile_unusable`), whether it is on does not matter.
   */
  'profiles.try': {
    input: z.strictObject({
      name: z.string(),
      prompt: z.string(),
      /** One of the profile's models; left out or null: Cursor's own choice. */
      model: z.string().nullable().optional(),
    }),
    result: z.object({ id: z.string() }),
  },
  'profiles.try_stop': { input: z.strictObject({ id: z.string() }), result: done },
  /** Entries `offset` and on of the topic `job_conversation`, with its revision. */
  'job.conversation': {
    input: z.strictObject({
      jobId: z.string(),
      offset: z.number().int().nonnegative(),
      limit: z.number().int().min(1).max(CONVERSATION_PAGE_MAX),
    }),
    result: z.object({
      entries: z.array(conversationEntrySchema),
      /** Where each of them stands in the log, in the same order. */
      places: z.array(recordRangeSchema.nullable()),
      total: z.number().int(),
      revision: z.number().int(),
    }),
  },
  /** The first one that is turned on turns local commands on as well (`profiles.allow`), unless others wait for that. */
  'profiles.turn': { input: z.strictObject({ name: z.string(), on: z.boolean() }), result: done },
  /** Local commands on this machine, all of them; off by default. Each profile keeps its own switch. */
  'profiles.allow': { input: z.strictObject({ on: z.boolean() }), result: done },
  'engine.check': { input: z.strictObject({}), result: done },
  'permission.allow': { input: permissionViewSchema, result: done },
  'permission.revoke': { input: permissionViewSchema, result: done },
} as const;
export type RequestName = keyof typeof REQUESTS;
export type RequestInput<R extends RequestName> = z.infer<(typeof REQUESTS)[R]['input']>;
export type RequestResult<R extends RequestName> = z.infer<(typeof REQUESTS)[R]['result']>;
