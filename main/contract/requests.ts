/** Every request: name → input schema, result schema. Failures are `problem`s: a code, plain words, one remedy. */
import * as z from 'zod';
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
  'engine.check': { input: z.strictObject({}), result: done },
  'permission.allow': { input: permissionViewSchema, result: done },
  'permission.revoke': { input: permissionViewSchema, result: done },
} as const;
export type RequestName = keyof typeof REQUESTS;
export type RequestInput<R extends RequestName> = z.infer<(typeof REQUESTS)[R]['input']>;
export type RequestResult<R extends RequestName> = z.infer<(typeof REQUESTS)[R]['result']>;
