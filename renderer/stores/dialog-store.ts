/** The one dialog that is open, as data. The shell draws it; whoever wants an answer asks here. */
import { create } from 'zustand';
import type { JobRow, LeftoversView, PermissionView } from '../../main/contract/views.ts';

export type Dialog =
  | { readonly kind: 'stop'; readonly job: Pick<JobRow, 'jobId' | 'title' | 'startedAtMs'> }
  | { readonly kind: 'go_offline' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'allow'; readonly permission: PermissionView; readonly title: string }
  | { readonly kind: 'remove_kept'; readonly kept: LeftoversView['kept'][number] }
  /** Asked before the first one is turned on. */
  | { readonly kind: 'turn_on_profile'; readonly profile: string }
  /** All of them at once, of which so many are on. */
  | { readonly kind: 'allow_commands'; readonly on: number }
  | { readonly kind: 'remove_profile'; readonly profile: string }
  | { readonly kind: 'palette' }
  | { readonly kind: 'shortcuts' };

interface DialogStore {
  readonly dialog: Dialog | null;
}

export const useDialogStore = create<DialogStore>()(() => ({ dialog: null }));

export function openDialog(dialog: Dialog): void {
  useDialogStore.setState({ dialog });
}

export function closeDialog(): void {
  useDialogStore.setState({ dialog: null });
}
