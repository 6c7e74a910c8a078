/** Muting a check and counting it again, with the focus kept: the button that was pressed goes away with it. */
import { useEffect, useRef, type RefObject } from 'react';
import type { CheckView } from '../../../main/contract/views.ts';
import { mute, unmute } from '../../actions.ts';

export interface Muting {
  /** Of *Mute* or *Unmute*, whichever is there. */
  readonly button: RefObject<HTMLButtonElement | null>;
  /** Of a button that is always there. */
  readonly fallback: RefObject<HTMLButtonElement | null>;
  readonly toggle: () => void;
}

export function useMuting(check: CheckView): Muting {
  const button = useRef<HTMLButtonElement>(null);
  const fallback = useRef<HTMLButtonElement>(null);
  const pressed = useRef(false);
  const { muted } = check;
  useEffect(() => {
    if (!pressed.current) return;
    pressed.current = false;
    (button.current ?? fallback.current)?.focus();
  }, [muted]);
  const toggle = (): void => {
    pressed.current = true;
    if (muted) unmute(check);
    else mute(check);
  };
  return { button, fallback, toggle };
}
