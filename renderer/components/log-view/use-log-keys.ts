/** Listens for the log's keys: the few that work anywhere on the screen, and all of them inside the log. */
import { useEffect, useRef, type RefObject } from 'react';
import { logCommand, type LogCommand } from './log-keys.ts';

/** `run` says whether it did anything; what it left undone is the browser's. */
export function useLogKeys(
  section: RefObject<HTMLElement | null>,
  letters: boolean,
  run: (command: LogCommand) => boolean,
): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || !(event.target instanceof Element)) return;
      const { target } = event;
      const field = target.closest('input, textarea, select, [contenteditable]') !== null;
      const elsewhere =
        target.closest('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
      const inside =
        target.closest('.lines') !== null && section.current?.contains(target) === true;
      const command = elsewhere ? null : logCommand(event, inside, letters && !field);
      if (command === null || (field && command !== 'find')) return;
      if (!latest.current(command)) return;
      event.preventDefault();
      // `g` would else begin a jump to another screen.
      event.stopPropagation();
    };
    // While capturing: this screen's keys go before those of the page around it.
    document.addEventListener('keydown', pressed, true);
    return () => document.removeEventListener('keydown', pressed, true);
  }, [section, letters]);
}
