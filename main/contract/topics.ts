/**
 * Everything that can be watched: name → parameters and view. A watch answers at once with the value, then
 * with the newest on change, ten a second at most. `job_log` is the one stream: its values follow each other
 * and none is left out.
 */
import * as z from 'zod';
import { conversationHeadSchema } from './conversation-views.ts';
import { profilesViewSchema, profileTryViewSchema } from './profile-views.ts';
import {
  EVENTS_SHOWN,
  eventViewSchema,
  healthViewSchema,
  jobViewSchema,
  logRecordSchema,
  overviewSchema,
  permissionViewSchema,
} from './views.ts';

export const TOPICS = {
  overview: { parameters: z.strictObject({}), view: overviewSchema },
  /** Changes whenever a row of the list may have; the page then asks for the rows it shows. */
  jobs: {
    parameters: z.strictObject({}),
    view: z.object({ revision: z.number().int(), total: z.number().int() }),
  },
  /** Null for a job this host does not know (any more). */
  job: { parameters: z.strictObject({ jobId: z.string() }), view: jobViewSchema.nullable() },
  permissions: {
    parameters: z.strictObject({}),
    view: z.object({ allowed: z.array(permissionViewSchema), problem: z.string().nullable() }),
  },
  /** The checks as last made; watching it makes none, `health.run` does. */
  health: { parameters: z.strictObject({}), view: healthViewSchema },
  /** Newest first, by when each last happened. `total`: of those that are kept. */
  events: {
    parameters: z.strictObject({ limit: z.number().int().min(1).max(EVENTS_SHOWN) }),
    view: z.object({ events: z.array(eventViewSchema), total: z.number().int() }),
  },
  /** The profiles of local commands. The first watch looks for Cursor once, in the background. */
  profiles: { parameters: z.strictObject({}), view: profilesViewSchema },
  /** Null for an id of which nothing is known (any more): only the last *Try it* is. */
  profile_try: {
    parameters: z.strictObject({ id: z.string() }),
    view: profileTryViewSchema.nullable(),
  },
  /**
   * What there is to read of a host job; the entries are asked for by `job.conversation`. Null for a job this host does not
   * know, for a job of a container, and where the log was removed.
   */
  job_conversation: {
    parameters: z.strictObject({ jobId: z.string() }),
    view: conversationHeadSchema.nullable(),
  },
  job_log: {
    parameters: z.strictObject({
      jobId: z.string(),
      /** The first record wanted. */
      fromRecord: z.number().int().nonnegative(),
    }),
    view: z.object({
      records: z.array(logRecordSchema),
      /** The record the next page starts with. */
      nextRecord: z.number().int(),
      /** Nothing more will come: the job ended and all of its log was given. */
      complete: z.boolean(),
    }),
  },
} as const;
export type TopicName = keyof typeof TOPICS;
export type TopicParameters<T extends TopicName> = z.infer<(typeof TOPICS)[T]['parameters']>;
export type TopicView<T extends TopicName> = z.infer<(typeof TOPICS)[T]['view']>;
