/** Native questions. */
import { dialog } from 'electron';
import type { Question } from './words.ts';

/** The index of the button; that of `stay` when the dialog is closed otherwise. */
export async function ask(question: Question): Promise<number> {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: question.message,
    detail: question.detail,
    buttons: [...question.buttons],
    defaultId: question.stay,
    cancelId: question.stay,
    noLink: true,
  });
  return response;
}
