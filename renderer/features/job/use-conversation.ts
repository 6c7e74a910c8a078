/** The conversation of one host job for its screen: what there is of it, and the pages at hand. */
import { useEffect, useMemo, useState } from 'react';
import type { ConversationHead } from '../../../main/contract/conversation-views.ts';
import type { Problem } from '../../../main/contract/frames.ts';
import { pageClient } from '../../host-client/page-client.ts';
import { useTopic } from '../../host-client/use-topic.ts';
import { ConversationPages } from './conversation-pages.ts';

/** A run that tells much is shown four times a second. */
const REST_MS = 250;

export interface JobConversation {
  /** Undefined before the first answer; null where there is none (any more). */
  readonly head: ConversationHead | null | undefined;
  readonly pages: ConversationPages;
  readonly problem: Problem | undefined;
}

export function useConversation(jobId: string): JobConversation {
  const { view: head, problem } = useTopic('job_conversation', { jobId });
  const [, setTurn] = useState(0);
  const pages = useMemo(
    () =>
      new ConversationPages({
        page: (offset, limit) => pageClient.request('job.conversation', { jobId, offset, limit }),
        rest: () =>
          new Promise((resolve) => {
            setTimeout(resolve, REST_MS);
          }),
        changed: () => setTurn((turn) => turn + 1),
      }),
    [jobId],
  );
  useEffect(() => {
    if (head != null) pages.update(head);
  }, [head, pages]);
  return { head, pages, problem };
}
