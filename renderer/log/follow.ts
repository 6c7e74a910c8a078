/** Whether the log view keeps its end in sight. Pure: what happened in, the next state out. */

export type FollowState =
  | { readonly kind: 'following' }
  /** `from` is how many records there were when the end left the view. */
  | { readonly kind: 'reading'; readonly from: number };

export type FollowEvent =
  /** A person moved the log; `atEnd`: the end is in view now. */
  | {
      readonly kind: 'moved';
      readonly atEnd: boolean;
      readonly up: boolean;
      readonly total: number;
    }
  /** `f`, End, or the button. */
  | { readonly kind: 'resumed' }
  /** The view went to a place of its own accord: a hit, a line, an error. */
  | { readonly kind: 'jumped'; readonly total: number };

export const FOLLOWING: FollowState = { kind: 'following' };

export function nextFollow(state: FollowState, event: FollowEvent): FollowState {
  switch (event.kind) {
    case 'resumed':
      return FOLLOWING;
    case 'jumped':
      return state.kind === 'reading' ? state : { kind: 'reading', from: event.total };
    case 'moved':
      // Any movement up ends it, or small ones would be pulled back; arriving at the end begins it again.
      if (state.kind === 'following')
        return event.up ? { kind: 'reading', from: event.total } : state;
      return event.atEnd && !event.up ? FOLLOWING : state;
  }
}

/** What the button counts: records that came since the end left the view. */
export function newRecords(state: FollowState, total: number): number {
  return state.kind === 'reading' ? Math.max(0, total - state.from) : 0;
}
