/** Questions about profiles: before the first one is turned on, before all that are on are offered, and before one is removed. */
import type { JSX } from 'react';
import { allowCommands, removeProfile, turnProfile } from '../../profile-actions.ts';
import { formatRoute } from '../../router.ts';
import { closeDialog } from '../../stores/dialog-store.ts';
import { words } from '../../words.ts';
import { Question } from './question.tsx';

interface ProfileQuestionProps {
  readonly profile: string;
}

export function TurnOnProfileQuestion({ profile }: ProfileQuestionProps): JSX.Element {
  const question = words.dialogs.profile.turnOn;
  return (
    <Question
      title={question.title(profile)}
      safe={question.safe}
      act={question.act}
      onAct={() => turnProfile(profile, true)}
    >
      <p>{question.body}</p>
      <p>{question.more}</p>
      <ReadLimits />
    </Question>
  );
}

/** Local commands were off, so nothing of what is on was offered until now. */
export function AllowCommandsQuestion({ on }: { readonly on: number }): JSX.Element {
  const question = words.dialogs.profile.allow;
  return (
    <Question
      title={question.title}
      safe={question.safe}
      act={question.act}
      onAct={() => allowCommands(true)}
    >
      <p>{question.offers(on)}</p>
      <p>{words.dialogs.profile.turnOn.body}</p>
      <ReadLimits />
    </Question>
  );
}

function ReadLimits(): JSX.Element {
  return (
    <p>
      <a href={formatRoute({ name: 'profiles', parameters: 'limits=' })} onClick={closeDialog}>
        {words.profiles.readLimits}
      </a>
    </p>
  );
}

export function RemoveProfileQuestion({ profile }: ProfileQuestionProps): JSX.Element {
  const question = words.dialogs.profile.remove;
  return (
    <Question
      title={question.title(profile)}
      safe={question.safe}
      act={question.act}
      danger
      onAct={() => removeProfile(profile)}
    >
      <p>{question.body}</p>
    </Question>
  );
}
