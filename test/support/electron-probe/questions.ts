/** Questions and links: kept open for the test to answer, since no driver can click a native box. */
import { dialog, shell, type MessageBoxOptions, type MessageBoxReturnValue } from 'electron';
import type { DesktopState } from '../desktop-state.ts';
import { replaced } from './replaced.ts';

interface Open {
  readonly options: MessageBoxOptions;
  readonly choose: (button: number) => void;
}

const open = new Map<number, Open>();
const errors: { readonly title: string; readonly content: string }[] = [];
const outside: string[] = [];
let lastId = 0;

export function watchQuestions(changed: () => void): void {
  const showMessageBox = (options: MessageBoxOptions): Promise<MessageBoxReturnValue> =>
    new Promise((resolve) => {
      lastId += 1;
      const id = lastId;
      open.set(id, {
        options,
        choose(button) {
          open.delete(id);
          changed();
          resolve({ response: button, checkboxChecked: false });
        },
      });
      changed();
    });
  // The shell asks without a window, which is the one form that is answered here.
  replaced(dialog, 'showMessageBox', () => showMessageBox as typeof dialog.showMessageBox);
  replaced(dialog, 'showErrorBox', () => (title, content) => {
    errors.push({ title, content });
    changed();
  });
  replaced(shell, 'openExternal', () => (url) => {
    outside.push(url);
    changed();
    return Promise.resolve();
  });
}

export function openQuestions(): DesktopState['dialogs'] {
  return [...open].map(([id, { options }]) => ({
    id,
    message: options.message,
    detail: options.detail ?? '',
    buttons: options.buttons ?? [],
  }));
}

export const errorBoxes = (): DesktopState['errors'] => [...errors];
export const openedOutside = (): string[] => [...outside];

export function answerQuestion(id: number, button: string): void {
  const asked = open.get(id);
  const at = asked?.options.buttons?.indexOf(button) ?? -1;
  if (asked === undefined || at < 0) throw new Error(`no dialog ${id} with a button "${button}"`);
  asked.choose(at);
}
