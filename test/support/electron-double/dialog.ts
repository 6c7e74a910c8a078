/** `dialog`: a question stays open until the test answers it by a button's label. */
import type { MessageBoxOptions, MessageBoxReturnValue } from 'electron';
import { changed, obeys, shows } from './control.ts';
import { onlyKeys, strict } from './strict.ts';

const KNOWN = ['type', 'message', 'detail', 'buttons', 'defaultId', 'cancelId', 'noLink'];

interface OpenDialog {
  readonly id: number;
  readonly options: MessageBoxOptions;
  readonly answer: (button: number) => void;
}

const open = new Map<number, OpenDialog>();
const errors: { readonly title: string; readonly content: string }[] = [];
let lastId = 0;

export const dialog = strict('dialog', {
  showMessageBox(options: MessageBoxOptions): Promise<MessageBoxReturnValue> {
    onlyKeys('message box', options, KNOWN);
    lastId += 1;
    const id = lastId;
    return new Promise((resolve) => {
      open.set(id, {
        id,
        options,
        answer(button) {
          open.delete(id);
          changed();
          resolve({ response: button, checkboxChecked: false });
        },
      });
      changed();
    });
  },
  /** Electron waits here for the person; nobody is there to wait for. */
  showErrorBox(title: string, content: string): void {
    errors.push({ title, content });
    changed();
  },
});

shows('errors', () => [...errors]);
shows('dialogs', () =>
  [...open.values()].map(({ id, options }) => ({
    id,
    message: options.message,
    detail: options.detail ?? '',
    buttons: options.buttons ?? [],
  })),
);
obeys('answer', ({ dialog: id, button }) => {
  const asked = open.get(id);
  const at = asked?.options.buttons?.indexOf(button) ?? -1;
  if (asked === undefined || at < 0) throw new Error(`no dialog ${id} with a button "${button}"`);
  asked.answer(at);
});
