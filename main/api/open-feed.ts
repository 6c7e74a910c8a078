/** Which feed a topic gets: its view, what it depends on, and how often it may be sent. */
import { TOPICS, type TopicName } from '../contract/topics.ts';
import type { Clock } from '../../runner-core/ports.ts';
import { ProblemError } from '../problem.ts';
import type { PageViews } from './page-source.ts';
import type { Subject, Subjects } from './subjects.ts';
import { LogFeed, ValueFeed, VALUE_INTERVAL_MS, type Feed } from './topic-feed.ts';

/** The whole Overview with every slot's last lines is dear to make; four a second look live. */
const OVERVIEW_INTERVAL_MS = 250;
/** The page answers each with a request for its rows. */
const JOBS_INTERVAL_MS = 500;

export interface FeedContext {
  readonly clock: Clock;
  readonly views: PageViews;
  readonly subjects: Subjects;
  readonly send: (value: unknown) => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Throws ProblemError for an unknown topic and for parameters that do not fit it. */
export function openFeed(topic: string, parameters: unknown, context: FeedContext): Feed {
  const { views, subjects } = context;
  if (!isTopic(topic)) throw new ProblemError('unknown_topic', `There is no topic ${topic}.`);
  switch (topic) {
    case 'overview':
      parse(topic, parameters);
      return value(context, 'overview', () => views.overview(), OVERVIEW_INTERVAL_MS);
    case 'jobs':
      parse(topic, parameters);
      return value(context, 'jobs', () => views.jobs(), JOBS_INTERVAL_MS);
    case 'permissions':
      parse(topic, parameters);
      return value(context, 'permissions', () => views.permissions(), VALUE_INTERVAL_MS);
    case 'health':
      parse(topic, parameters);
      return value(context, 'health', () => views.health(), VALUE_INTERVAL_MS);
    case 'events': {
      const { limit } = parse(topic, parameters);
      return value(context, 'events', () => views.events(limit), VALUE_INTERVAL_MS);
    }
    case 'profiles':
      parse(topic, parameters);
      return value(context, 'profiles', () => views.profiles(), OVERVIEW_INTERVAL_MS);
    case 'profile_try': {
      const { id } = parse(topic, parameters);
      return value(context, 'profile try', () => views.profileTry(id), OVERVIEW_INTERVAL_MS);
    }
    case 'job_conversation': {
      const { jobId } = parse(topic, parameters);
      const subject: Subject = `conversation ${jobId}`;
      return value(context, subject, () => views.conversation(jobId), OVERVIEW_INTERVAL_MS);
    }
    case 'job': {
      const { jobId } = parse(topic, parameters);
      return value(context, `job ${jobId}`, () => views.job(jobId), VALUE_INTERVAL_MS);
    }
    case 'job_log': {
      const { jobId, fromRecord } = parse(topic, parameters);
      const { clock, send, failed } = context;
      const feed = new LogFeed({
        clock,
        fromRecord,
        read: (from, limit) => views.log(jobId, from, limit),
        send: (stretch) => void send(stretch),
        failed,
      });
      return watching(subjects, `log ${jobId}`, feed);
    }
  }
}

function value(
  context: FeedContext,
  subject: Subject,
  read: () => unknown,
  intervalMs: number,
): Feed {
  return watching(context.subjects, subject, new ValueFeed({ ...context, read, intervalMs }));
}

function watching(subjects: Subjects, subject: Subject, feed: Feed): Feed {
  const unwatch = subjects.watch(subject, () => feed.changed());
  return {
    changed: () => feed.changed(),
    taken: () => feed.taken(),
    stop: () => {
      unwatch();
      feed.stop();
    },
  };
}

function isTopic(name: string): name is TopicName {
  return Object.hasOwn(TOPICS, name);
}

type Parameters<T extends TopicName> = ReturnType<(typeof TOPICS)[T]['parameters']['parse']>;

function parse<T extends TopicName>(topic: T, parameters: unknown): Parameters<T> {
  const parsed = TOPICS[topic].parameters.safeParse(parameters);
  if (parsed.success) return parsed.data as Parameters<T>;
  const field = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new ProblemError(
    'bad_parameters',
    `The topic ${topic} does not take these parameters.`,
    null,
    field,
  );
}
