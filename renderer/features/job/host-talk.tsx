/** A host job's run to read, and what is to be known of how it is read. */
import type { JSX } from 'react';
import type { JobView } from '../../../main/contract/views.ts';
import { Conversation, type ShownTurn } from '../../components/conversation/conversation.tsx';
import { Icon } from '../../components/icon.tsx';
import { conversationWords as words } from '../../conversation-words.ts';
import type { JobConversation } from './use-conversation.ts';

export interface HostTalkProps {
  readonly job: JobView;
  /** The log had lines, and they are not kept any more. */
  readonly removed: boolean;
  readonly conversation: JobConversation;
  readonly turn: number | null;
  readonly onTurn: (index: number) => void;
  readonly shownTurn: ShownTurn | null;
}

export function HostTalk({
  job,
  removed,
  conversation,
  turn,
  onTurn,
  shownTurn,
}: HostTalkProps): JSX.Element {
  const { head, pages, problem } = conversation;
  const { shown } = pages;
  const isOver = job.endedAtMs !== null;
  const isRead = head?.complete === true;
  const hasNothing = head === null || (isOver && isRead && !head.hasEvents && head.total === 0);
  const waits = isOver ? words.reading : words.waiting;
  return (
    <section className="host-talk" aria-label={words.conversation}>
      <Conversation
        label={words.label(job.title)}
        entries={shown.entries}
        before={shown.before}
        onEarlier={() => pages.earlier()}
        onFollow={(isFollowing) => pages.follow(isFollowing)}
        finished={isOver && isRead}
        selected={turn}
        onSelect={onTurn}
        shown={shownTurn}
        placeholder={
          problem !== undefined ? (
            problem.message
          ) : removed ? (
            words.removed
          ) : hasNothing ? (
            <>
              <b>{words.none}</b>
              {words.noneBody}
            </>
          ) : (
            <b>{waits}</b>
          )
        }
        note={
          pages.hasFailed ? (
            words.failedToRead
          ) : head != null && head.leftOut > 0 ? (
            words.leftOut(head.leftOut)
          ) : (
            <>
              <Icon name="info" size={14} />
              <span className="trunc">{words.noSandbox}</span>
            </>
          )
        }
      />
    </section>
  );
}
