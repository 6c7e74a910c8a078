/** A question with one safe answer, which has the focus and Enter; Esc means the same. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useRef, type JSX, type ReactNode, type RefObject } from 'react';
import { Button } from '../../components/button.tsx';
import { closeDialog } from '../../stores/dialog-store.ts';
import { useConnected } from '../../stores/connection-store.ts';

export interface QuestionProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly safe: string;
  readonly act: string;
  readonly danger?: boolean;
  /** Has the focus instead of the safe button; Enter there does nothing. */
  readonly focus?: RefObject<HTMLElement | null>;
  readonly onAct: () => void;
}

export function Question(props: QuestionProps): JSX.Element {
  const connected = useConnected();
  const safe = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root open onOpenChange={(open) => (open ? undefined : closeDialog())}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="scrim" />
        <AlertDialog.Popup className="dlg" initialFocus={props.focus ?? safe}>
          <AlertDialog.Title>{props.title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />}>{props.children}</AlertDialog.Description>
          <div className="dlg-foot">
            <Button ref={safe} onClick={closeDialog}>
              {props.safe}
            </Button>
            <Button
              kind={props.danger === true ? 'solid-danger' : 'primary'}
              disabled={!connected}
              onClick={() => {
                closeDialog();
                props.onAct();
              }}
            >
              {props.act}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
