/** What fills the screen of a host job: its conversation, its raw log, or both beside each other. */
import './host-body.css';
import type { JSX, ReactNode } from 'react';
import type { JobView } from '../../../main/contract/views.ts';
import { Icon } from '../../components/icon.tsx';
import { conversationWords as words } from '../../conversation-words.ts';
import { HostTalk } from './host-talk.tsx';
import type { JobLook } from './job-look.ts';
import { useConversation } from './use-conversation.ts';

export interface HostBodyProps {
  readonly job: JobView;
  /** The log had lines, and they are not kept any more. */
  readonly removed: boolean;
  readonly look: JobLook;
  readonly onLook: (look: JobLook) => void;
  /** The log; null where it is not shown. */
  readonly children: ReactNode;
}

const LOOKS = [
  { look: 'talk', icon: 'chat', text: words.conversation },
  { look: 'both', icon: 'columns', text: words.both },
  { look: 'raw', icon: 'lines', text: words.raw },
] as const;

export function HostBody({ job, removed, look, onLook, children }: HostBodyProps): JSX.Element {
  const conversation = useConversation(job.jobId);
  const model = conversation.head?.model ?? null;
  return (
    <div className={`host-body look-${look}`}>
      <div className="look-bar">
        <div className="seg" role="group" aria-label={words.look}>
          {LOOKS.map((one) => (
            <button
              key={one.look}
              type="button"
              className={`look-${one.look}`}
              aria-pressed={one.look === look}
              onClick={() => onLook(one.look)}
            >
              <Icon name={one.icon} size={14} />
              {one.text}
            </button>
          ))}
        </div>
        <span className="grow" />
        {model === null ? null : (
          <span className="small t2 trunc" title={words.model(model)}>
            {words.model(model)}
          </span>
        )}
      </div>
      <div className="host-panes">
        {look === 'raw' ? null : (
          <HostTalk job={job} removed={removed} conversation={conversation} />
        )}
        {children}
      </div>
    </div>
  );
}
