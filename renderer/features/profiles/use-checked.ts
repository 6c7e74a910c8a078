/** What the host says of a draft, a moment after each change. The newest question counts; earlier answers are dropped. */
import { useEffect, useState } from 'react';
import type { ProfileDraft } from '../../../main/contract/profile-views.ts';
import type { RequestResult } from '../../../main/contract/requests.ts';
import { pageClient } from '../../host-client/page-client.ts';
import { useConnected } from '../../stores/connection-store.ts';

export type Checked = RequestResult<'profiles.check'>;

/** Long enough not to ask at every key, short enough to be there when one looks up. */
const REST_MS = 200;

export function useChecked(
  draft: ProfileDraft,
  editing: string | null,
): { readonly checked: Checked | null; readonly isChecking: boolean } {
  const connected = useConnected();
  const key = JSON.stringify([draft, editing]);
  const [answer, setAnswer] = useState<{ readonly key: string; readonly checked: Checked }>();
  useEffect(() => {
    if (!connected) return undefined;
    let isNewest = true;
    const [asked, name] = JSON.parse(key) as [ProfileDraft, string | null];
    const timer = setTimeout(() => {
      pageClient.request('profiles.check', { draft: asked, editing: name }).then(
        (checked) => (isNewest ? setAnswer({ key, checked }) : undefined),
        // A lost connection is told by the shell; the draft is checked again once it is back.
        () => undefined,
      );
    }, REST_MS);
    return () => {
      isNewest = false;
      clearTimeout(timer);
    };
  }, [key, connected]);
  return { checked: answer?.checked ?? null, isChecking: answer?.key !== key };
}
