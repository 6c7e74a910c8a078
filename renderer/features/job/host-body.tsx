/** What fills the screen of a host job: its conversation, its raw log, or both beside each other. */
import './host-body.css';
import type { JSX, KeyboardEvent, ReactNode } from 'react';
import type { RecordRangeView } from '../../../main/contract/conversation-views.ts';
import type { JobView } from '../../../main/contract/views.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { conversationWords as words } from '../../conversation-words.ts';
import { HostTalk } from './host-talk.tsx';
import type { JobLook } from './job-look.ts';
import { useConversation } from './use-conversation.ts';
import { useTurnLines, type PickedRecord, type TurnLines } from './use-turn-lines.ts';

export interface HostBodyProps {
  readonly job: JobView;
  /** The log had lines, and they are not kept any more. */
  readonly removed: boolean;
  readonly look: JobLook;
  readonly onLook: (look: JobLook) => void;
  /** Single letters act as shortcuts. */
  readonly letterKeys: boolean;
  /** The record that a person selected in the log. */
  readonly picked: PickedRecord | null;
  /** Selects these in the log, which is shown first where it is asked to take the focus. */
  readonly onLines: (lines: RecordRangeView, takesFocus: boolean) => void;
  /** The log; null where it is not shown. */
  readonly children: ReactNode;
}

const LOOKS = [
  { look: 'talk', icon: 'chat', text: words.conversation },
  { look: 'both', icon: 'columns', text: words.both },
  { look: 'raw', icon: 'lines', text: words.raw },
] as const;

export function HostBody(props: HostBodyProps): JSX.Element {
  const { job, removed, look, onLook, picked, onLines, children } = props;
  const conversation = useConversation(job.jobId);
  const { pages } = conversation;
  const { turn, shownTurn, selectTurn, toLines, toTurn } = useTurnLines({
    pages,
    look,
    onLook,
    picked,
    onLines,
  });
  const model = conversation.head?.model ?? null;
  return (
    <div
      className={`host-body look-${look}`}
      onKeyDown={(event) => {
        const other = crossing(event, props.letterKeys, { toLines, toTurn });
        if (other === null) return;
        event.preventDefault();
        other();
      }}
    >
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
        {look === 'talk' && toLines !== null ? (
          <Button small kind="ghost" icon="lines" title={words.toRawHow} onClick={toLines}>
            {words.toRaw}
          </Button>
        ) : null}
        {look === 'raw' && toTurn !== null ? (
          <Button small kind="ghost" icon="chat" title={words.toTurnHow} onClick={toTurn}>
            {words.toTurn}
          </Button>
        ) : null}
        <span className="grow" />
        {model === null ? null : (
          <span className="small t2 trunc" title={words.model(model)}>
            {words.model(model)}
          </span>
        )}
      </div>
      <div className="host-panes">
        {look === 'raw' ? null : (
          <HostTalk
            job={job}
            removed={removed}
            conversation={conversation}
            turn={turn}
            onTurn={selectTurn}
            shownTurn={shownTurn}
          />
        )}
        {children}
      </div>
    </div>
  );
}

/** `R` goes to the other side of what is selected: from a turn to its raw lines, from a raw line to its turn. */
function crossing(
  event: KeyboardEvent,
  letterKeys: boolean,
  { toLines, toTurn }: Pick<TurnLines, 'toLines' | 'toTurn'>,
): (() => void) | null {
  const { key, target } = event;
  const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!letterKeys || key !== 'r' || !isPlain || !(target instanceof Element)) return null;
  if (target.closest('.convbody') !== null) return toLines;
  return target.closest('.lines') === null ? null : toTurn;
}
