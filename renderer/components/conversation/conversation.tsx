/**
 * A run of Cursor to read: turn after turn, the end in sight while it goes on. One stop of Tab; arrows go from turn to
 * turn, Enter opens one. Takes entries and calls nobody.
 */
import './conversation.css';
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type JSX,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import type { ConversationEntryView } from '../../../main/contract/conversation-views.ts';
import { conversationWords as words } from '../../conversation-words.ts';
import { Button } from '../button.tsx';
import { Turn } from './turn.tsx';

export interface ConversationProps {
  readonly label: string;
  /** The last of them; `before` counts those that are not among them. */
  readonly entries: readonly ConversationEntryView[];
  readonly before: number;
  /** Brings some of those before; null where they are not to be had. */
  readonly onEarlier: (() => void) | null;
  /** Whether the end is kept in sight. */
  readonly onFollow?: (isFollowing: boolean) => void;
  /** Nothing more will come. */
  readonly finished: boolean;
  /** Stands in the place of turns while there is none. */
  readonly placeholder: ReactNode;
  /** At the left of the line below. */
  readonly note: ReactNode;
  /** The turn that is selected, counted from the first of all. */
  readonly selected?: number | null;
  readonly onSelect?: (index: number) => void;
  /** A turn to bring into view, once for each such object. */
  readonly shown?: ShownTurn | null;
}

export interface ShownTurn {
  readonly index: number;
  readonly takesFocus: boolean;
}

/** Nearer to the end than this counts as at the end. */
const NEAR_PX = 24;

export function Conversation(props: ConversationProps): JSX.Element {
  const { entries, before, finished, onEarlier, shown = null, selected = null } = props;
  const body = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(shown === null);
  const lastShown = useRef<ShownTurn | null>(null);
  /** Distance from the end, which turns that come in above leave as it is. */
  const belowPx = useRef(0);
  const shownBefore = useRef(before);
  const follow = (isFollowing: boolean): void => {
    setFollowing(isFollowing);
    props.onFollow?.(isFollowing);
  };
  useLayoutEffect(() => {
    const element = body.current;
    if (element === null) return;
    if (following) element.scrollTop = element.scrollHeight;
    else if (before < shownBefore.current)
      element.scrollTop = element.scrollHeight - belowPx.current;
    shownBefore.current = before;
  }, [entries, before, following]);
  // With another height of it, the end would go out of sight.
  useEffect(() => {
    const element = body.current;
    if (element === null || !following) return undefined;
    const observer = new ResizeObserver(() => {
      element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [following]);
  useLayoutEffect(() => {
    if (shown === null || shown === lastShown.current) return;
    const turn = body.current?.querySelector<HTMLElement>(
      `[data-at="${shown.index}"] > [data-turn], [data-at="${shown.index}"][data-turn]`,
    );
    // It may still be on its way.
    if (turn == null) return;
    lastShown.current = shown;
    follow(false);
    if (shown.takesFocus) turn.focus({ preventScroll: true });
    turn.scrollIntoView({ block: 'nearest' });
  });
  const select = (target: EventTarget): void => {
    const turn = target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null;
    if (turn !== null) props.onSelect?.(Number(turn.dataset['at']));
  };
  const showEarlier = (): void => {
    follow(false);
    // The button may go with what it brings.
    body.current?.focus({ preventScroll: true });
    onEarlier?.();
  };
  const isEmpty = entries.length === 0;
  return (
    <div className="conv">
      <div
        ref={body}
        className="convbody"
        role="group"
        aria-label={props.label}
        tabIndex={0}
        data-region=""
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          belowPx.current = scrollHeight - scrollTop;
          const isNear = scrollHeight - scrollTop - clientHeight < NEAR_PX;
          if (isNear !== following) follow(isNear);
        }}
        onFocus={({ target }) => select(target)}
        onClick={({ target }) => select(target)}
        onKeyDown={(event) => {
          if (stepTurns(event)) event.preventDefault();
        }}
      >
        {isEmpty ? (
          <div className="conv-none" role="status">
            {props.placeholder}
          </div>
        ) : (
          <>
            {before === 0 || onEarlier === null ? null : (
              <div className="conv-earlier">
                <Button small onClick={showEarlier}>
                  {words.earlier(before)}
                </Button>
              </div>
            )}
            <ul className="turns">
              {entries.map((entry, index) => (
                <Turn
                  key={before + index}
                  at={before + index}
                  entry={entry}
                  finished={finished}
                  isSelected={before + index === selected}
                />
              ))}
            </ul>
          </>
        )}
      </div>
      <div className="logfoot">
        {isEmpty || (following && finished) ? null : (
          <Button
            small
            icon="follow"
            pressed={following && !finished}
            onClick={() => follow(!following)}
          >
            {finished ? words.toEnd : following ? words.following : words.newTurns}
          </Button>
        )}
        <span className="conv-note trunc">{props.note}</span>
        <span className="grow" />
        {isEmpty ? null : <span className="t3 nowrap">{words.turns(before + entries.length)}</span>}
      </div>
    </div>
  );
}

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => Math.min(count - 1, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/** Arrows go from turn to turn; from outside, to the first one in view. */
function stepTurns(event: KeyboardEvent<HTMLElement>): boolean {
  const step = STEPS[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)
    return false;
  const turns = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-turn]')];
  if (turns.length === 0) return false;
  const here = turns.findIndex((turn) => turn === document.activeElement);
  const topPx = event.currentTarget.getBoundingClientRect().top;
  const inView = turns.findIndex((turn) => turn.getBoundingClientRect().bottom > topPx + 1);
  const isArrow = event.key.startsWith('Arrow');
  const next = here === -1 && isArrow ? Math.max(0, inView) : step(here, turns.length);
  turns[next]?.focus();
  turns[next]?.scrollIntoView({ block: 'nearest' });
  return true;
}
