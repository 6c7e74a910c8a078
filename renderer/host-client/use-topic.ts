/** Watches a topic while a component is mounted. */
import { useEffect, useState } from 'react';
import type { Problem } from '../../main/contract/frames.ts';
import type { TopicName, TopicParameters, TopicView } from '../../main/contract/topics.ts';
import { pageClient } from './page-client.ts';
import { toProblem } from './problem.ts';

export interface Watched<T extends TopicName> {
  /** Undefined until the first answer. Kept while the connection is lost. */
  readonly view: TopicView<T> | undefined;
  readonly problem: Problem | undefined;
}

export function useTopic<T extends Exclude<TopicName, 'job_log'>>(
  topic: T,
  parameters: TopicParameters<T>,
): Watched<T> {
  const key = JSON.stringify([topic, parameters]);
  const [watched, setWatched] = useState<Watched<T> & { readonly key: string }>();
  useEffect(() => {
    const given = (JSON.parse(key) as [T, TopicParameters<T>])[1];
    return pageClient.watch(
      topic,
      given,
      (view) => setWatched({ key, view, problem: undefined }),
      (error) => setWatched({ key, view: undefined, problem: toProblem(error) }),
    );
  }, [topic, key]);
  if (watched?.key !== key) return { view: undefined, problem: undefined };
  return watched;
}
