/** The desktop app as a person meets it, whatever runs beneath: the double or Electron itself. */
import type { ChildProcess } from 'node:child_process';
import type { Page } from 'playwright-core';
import { PlaneClient } from '../../main/cli/plane-client.ts';
import { dataPaths } from '../../main/data-dir.ts';
import type { DesktopState, MenuRow, Order } from './desktop-state.ts';

export interface Desktop {
  readonly dataDir: string;
  /** Of its main process. */
  readonly pid: number;
  readonly state: DesktopState;
  /** Resolves with the first state that passes, now or later; rejects when the app ends before. */
  until(passes: (state: DesktopState) => boolean): Promise<DesktopState>;
  order(order: Order): Promise<unknown>;
  /** The page of the app's only window. */
  page(): Promise<Page>;
  /** The exit code. */
  readonly exited: Promise<number | null>;
  /** Starts the same once more, on the same data folder, and gives back that one's exit code. */
  startAgain(): Promise<number | null>;
  /** For a test that failed half-way: nothing of the app is left. */
  kill(): Promise<void>;
}

export interface DesktopOptions {
  /** An existing data folder, or a new one. */
  readonly dataDir: string;
  readonly display: string;
  readonly args?: readonly string[];
}
export type StartDesktop = (options: DesktopOptions) => Promise<Desktop>;

export const planeOf = (desktop: Desktop): Promise<PlaneClient> =>
  PlaneClient.of(dataPaths(desktop.dataDir).planeDir);

/** Clicks a row of the tray's menu, once it can be clicked. */
export async function clickTray(desktop: Desktop, ...path: readonly string[]): Promise<void> {
  await desktop.until(({ tray }) => isClickable(tray?.menu ?? [], path));
  await desktop.order({ kind: 'click_menu', path: [...path] });
}

function isClickable(rows: readonly MenuRow[], [first, ...rest]: readonly string[]): boolean {
  const row = rows.find(({ label }) => label === first);
  if (row === undefined || !row.enabled) return false;
  return rest.length === 0 || isClickable(row.submenu ?? [], rest);
}

/** Answers the next question, or the one that is open, and gives back what was asked. */
export async function answer(desktop: Desktop, button: string): Promise<string> {
  const { dialogs } = await desktop.until((state) => state.dialogs.length > 0);
  const [asked] = dialogs;
  if (asked === undefined) throw new Error('the question went away');
  await desktop.order({ kind: 'answer', dialog: asked.id, button });
  return asked.message;
}

/** Labels of a job's row begin with its title. */
export async function jobRow(desktop: Desktop, title: string): Promise<string> {
  const isIts = ({ label, submenu }: MenuRow): boolean =>
    submenu !== null && label.startsWith(`${title} · running`);
  const { tray } = await desktop.until((state) => state.tray?.menu.some(isIts) === true);
  return tray?.menu.find(isIts)?.label ?? '';
}

const LAST_WORDS_LENGTH = 4_000;

/** The end of what a program wrote, for who asks why it ended. */
export function lastWordsOf(child: ChildProcess): () => string {
  let words = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-LAST_WORDS_LENGTH);
    });
  return () => words;
}

/** States come one after the other; who waits for one is told of each. */
export class StateWatch {
  #last: DesktopState | null = null;
  #ended: Error | null = null;
  readonly #waiting = new Set<() => void>();

  get last(): DesktopState {
    if (this.#last === null) throw new Error('the app has not said anything yet');
    return this.#last;
  }

  show(state: DesktopState): void {
    this.#last = state;
    this.#wake();
  }

  end(why: string): void {
    this.#ended = new Error(why);
    this.#wake();
  }

  until(passes: (state: DesktopState) => boolean): Promise<DesktopState> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (this.#last !== null && passes(this.#last)) resolve(this.#last);
        else if (this.#ended !== null) reject(this.#ended);
        else return;
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      look();
    });
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }
}
