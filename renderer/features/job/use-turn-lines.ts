/** A turn of the conversation and its lines in the raw log: which is selected, and the way from one to the other. */
import { useEffect, useState } from 'react';
import type { RecordRangeView } from '../../../main/contract/conversation-views.ts';
import type { ShownTurn } from '../../components/conversation/conversation.tsx';
import { useStable } from '../../components/use-stable.ts';
import type { ConversationPages } from './conversation-pages.ts';
import type { JobLook } from './job-look.ts';

export interface PickedRecord {
  readonly record: number;
}

export interface TurnLinesInput {
  readonly pages: ConversationPages;
  readonly look: JobLook;
  readonly onLook: (look: JobLook) => void;
  /** The record that a person selected in the log. */
  readonly picked: PickedRecord | null;
  readonly onLines: (lines: RecordRangeView, takesFocus: boolean) => void;
}

export interface TurnLines {
  readonly turn: number | null;
  readonly shownTurn: ShownTurn | null;
  readonly selectTurn: (index: number) => void;
  /** Null where nothing is selected that it could lead from. */
  readonly toLines: (() => void) | null;
  readonly toTurn: (() => void) | null;
}

export function useTurnLines(input: TurnLinesInput): TurnLines {
  const { pages, look, onLook, picked, onLines } = input;
  const [turn, setTurn] = useState<number | null>(null);
  const [shownTurn, setShownTurn] = useState<ShownTurn | null>(null);
  const { before, places } = pages.shown;
  const linesOf = (index: number): RecordRangeView | null => places[index - before] ?? null;
  const lines = turn === null ? null : linesOf(turn);
  const show = useStable(({ record }: PickedRecord, takesFocus: boolean) => {
    void pages.turnOf(record).then((index) => {
      if (index === null) return;
      setTurn(index);
      setShownTurn({ index, takesFocus });
      if (takesFocus && look === 'raw') onLook('talk');
    });
  });
  useEffect(() => {
    if (picked !== null && look === 'both') show(picked, false);
  }, [picked, look, show]);
  return {
    turn,
    shownTurn,
    selectTurn: (index) => {
      if (index === turn) return;
      setTurn(index);
      const found = linesOf(index);
      if (look === 'both' && found !== null) onLines(found, false);
    },
    toLines: lines === null || look === 'raw' ? null : () => onLines(lines, true),
    toTurn: picked === null || look === 'talk' ? null : () => show(picked, true),
  };
}
