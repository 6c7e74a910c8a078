/** Draws the dialog that is open. The safe button has the focus and Enter; Esc means the same. */
import type { JSX } from 'react';
import { allow, goOffline, removeKept, stopJob } from '../../actions.ts';
import { useNow } from '../../components/use-now.ts';
import { formatElapsed, formatInstant, shortId } from '../../format.ts';
import { useDialogStore, type Dialog } from '../../stores/dialog-store.ts';
import { useOverview } from '../../stores/overview-store.ts';
import { words } from '../../words.ts';
import { Palette } from './palette.tsx';
import { PauseQuestion } from './pause-question.tsx';
import { Question } from './question.tsx';
import {
  AllowCommandsQuestion,
  RemoveProfileQuestion,
  TurnOnProfileQuestion,
} from './profile-questions.tsx';
import { QuitQuestion } from './quit-question.tsx';
import { Shortcuts } from './shortcuts.tsx';
import './dialogs.css';

export function Dialogs(): JSX.Element | null {
  const dialog = useDialogStore((store) => store.dialog);
  switch (dialog?.kind) {
    case undefined:
      return null;
    case 'palette':
      return <Palette />;
    case 'shortcuts':
      return <Shortcuts />;
    case 'stop':
      return <StopQuestion job={dialog.job} />;
    case 'go_offline':
      return <OfflineQuestion />;
    case 'pause':
      return <PauseQuestion />;
    case 'quit':
      return <QuitQuestion />;
    case 'allow':
      return <AllowQuestion permission={dialog.permission} title={dialog.title} />;
    case 'remove_kept':
      return <RemoveKeptQuestion kept={dialog.kept} />;
    case 'turn_on_profile':
      return <TurnOnProfileQuestion profile={dialog.profile} />;
    case 'allow_commands':
      return <AllowCommandsQuestion on={dialog.on} />;
    case 'remove_profile':
      return <RemoveProfileQuestion profile={dialog.profile} />;
  }
}

type Of<K extends Dialog['kind']> = Omit<Extract<Dialog, { kind: K }>, 'kind'>;

function StopQuestion({ job }: Of<'stop'>): JSX.Element {
  const nowMs = useNow();
  const { stop } = words.dialogs;
  const ran = job.startedAtMs === null ? '' : stop.ran(formatElapsed(nowMs - job.startedAtMs));
  return (
    <Question
      title={stop.title(job.title)}
      safe={stop.safe}
      act={stop.act}
      danger
      onAct={() => stopJob(job)}
    >
      <p>{`${ran}${stop.body}`}</p>
    </Question>
  );
}

function OfflineQuestion(): JSX.Element {
  const held = useOverview()?.held.length ?? 0;
  const { offline } = words.dialogs;
  return (
    <Question title={offline.title} safe={offline.safe} act={offline.act} onAct={goOffline}>
      <p>{offline.body(held)}</p>
    </Question>
  );
}

function RemoveKeptQuestion({ kept }: Of<'remove_kept'>): JSX.Element {
  const nowMs = useNow(60_000);
  const question = words.dialogs.removeKept;
  return (
    <Question
      title={question.title(kept.name)}
      safe={question.safe}
      act={question.act}
      danger
      onAct={() => removeKept(kept)}
    >
      <p>{question.body(formatInstant(kept.untilMs, nowMs))}</p>
    </Question>
  );
}

function AllowQuestion({ permission, title }: Of<'allow'>): JSX.Element {
  const option = words.option(permission.option);
  const question = words.dialogs.allow;
  return (
    <Question
      title={question.title(option.name, title)}
      safe={question.safe}
      act={question.act}
      onAct={() => allow(permission)}
    >
      <p>{option.danger}</p>
      <p>{question.scope(shortId(permission.flowId))}</p>
    </Question>
  );
}
