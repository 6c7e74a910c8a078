/** What was said to the person last: shown for a while, and read out by a screen reader. */
import { create } from 'zustand';

export interface Notice {
  readonly tone: 'quiet' | 'failed';
  readonly text: string;
  readonly remedy: string | null;
}

interface NoticeStore {
  readonly notice: Notice | null;
  /** For screen readers only: changes nobody asked for, such as a lost connection. */
  readonly spoken: string;
}

export const useNoticeStore = create<NoticeStore>()(() => ({ notice: null, spoken: '' }));

export function say(
  text: string,
  tone: Notice['tone'] = 'quiet',
  remedy: string | null = null,
): void {
  useNoticeStore.setState({ notice: { tone, text, remedy } });
}

export function dismissNotice(): void {
  useNoticeStore.setState({ notice: null });
}

export function speak(spoken: string): void {
  useNoticeStore.setState({ spoken });
}
