/** Every request: name → input schema, result schema. Failures are `problem`s: a code, plain words, one remedy. */
import * as z from 'zod';
import { jobRowSchema, jobStateSchema, logRecordSchema, permissionViewSchema } from './views.ts';

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
  /** The embedded plane only. */
  'job.run_again': { input: jobRef, result: z.object({ jobId: z.string() }) },
  'job.submit': {
    input: z.strictObject({ definition: z.record(z.string(), z.unknown()) }),
    result: z.object({ jobId: z.string() }),
  },
  /** A small job on an image that is there, pulled, or made from nothing; `image` says which. */
  'job.test': { input: z.strictObject({}), result: z.object({ jobId: z.string() }) },
  'host.pause': { input: z.strictObject({}), result: done },
  'host.resume': { input: z.strictObject({}), result: done },
  'host.offline': { input: z.strictObject({}), result: done },
  'host.online': { input: z.strictObject({}), result: done },
  /** A new single-use address of the page, for another window or the command line. */
  'page.address': { input: z.strictObject({}), result: z.object({ url: z.string() }) },
  'engine.check': { input: z.strictObject({}), result: done },
  'permission.allow': { input: permissionViewSchema, result: done },
  'permission.revoke': { input: permissionViewSchema, result: done },
} as const;
export type RequestName = keyof typeof REQUESTS;
export type RequestInput<R extends RequestName> = z.infer<(typeof REQUESTS)[R]['input']>;
export type RequestResult<R extends RequestName> = z.infer<(typeof REQUESTS)[R]['result']>;
