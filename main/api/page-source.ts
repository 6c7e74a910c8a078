/** All that the local API shows and does, as it is handed to it: a host's, or a test's. */
import type { RequestInput, RequestName, RequestResult } from '../contract/requests.ts';
import type { TopicView } from '../contract/topics.ts';
import type { LogStretch } from './topic-feed.ts';

/** Read anew for each value; synchronous, since the store is. May throw. */
export interface PageViews {
  overview(): TopicView<'overview'>;
  jobs(): TopicView<'jobs'>;
  job(jobId: string): TopicView<'job'>;
  permissions(): TopicView<'permissions'>;
  health(): TopicView<'health'>;
  events(limit: number): TopicView<'events'>;
  profiles(): TopicView<'profiles'>;
  profileTry(id: string): TopicView<'profile_try'>;
  conversation(jobId: string): TopicView<'job_conversation'>;
  /** At most `limit` records from `fromRecord` on. Of an unknown job: none, and not complete. */
  log(jobId: string, fromRecord: number, limit: number): LogStretch;
}

/** Total by type: a request without a handler does not compile. Throws ProblemError for what cannot be done. */
export type RequestHandlers = {
  readonly [R in RequestName]: (
    input: RequestInput<R>,
  ) => RequestResult<R> | Promise<RequestResult<R>>;
};
