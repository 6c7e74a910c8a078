/** The list of shortcuts, and the switch for single letters. */
import { Dialog } from '@base-ui/react/dialog';
import type { JSX } from 'react';
import { Button } from '../../components/button.tsx';
import { closeDialog } from '../../stores/dialog-store.ts';
import { setPreferences, usePreferencesStore } from '../../stores/preferences-store.ts';
import { words } from '../../words.ts';
import { modKey } from './keys.ts';

type Line = readonly [text: string, keys: readonly string[]];
const { shortcuts } = words;
const EVERYWHERE: readonly Line[] = [
  [shortcuts.palette, [`${modKey}K`]],
  [shortcuts.goOverview, ['G', 'O']],
  [shortcuts.goJobs, ['G', 'J']],
  [shortcuts.goPermissions, ['G', 'P']],
  [shortcuts.goProfiles, ['G', 'C']],
  [shortcuts.goHealth, ['G', 'E']],
  [shortcuts.pause, ['P']],
  [shortcuts.filter, ['/']],
  [shortcuts.region, ['F6']],
  [shortcuts.escape, ['Esc']],
  [shortcuts.help, ['?']],
];
const LISTS: readonly Line[] = [
  [shortcuts.move, ['↑', '↓', 'J', 'K']],
  [shortcuts.open, ['Enter']],
  [shortcuts.ends, ['Home', 'End']],
  [shortcuts.stop, ['S']],
  [shortcuts.copy, ['C']],
];

const LOG: readonly Line[] = [
  [shortcuts.find, [`${modKey}F`]],
  [shortcuts.hits, ['N', '⇧ N']],
  [shortcuts.errors, ['E', '⇧ E']],
  [shortcuts.follow, ['F']],
  [shortcuts.goToLine, [':']],
  [shortcuts.startAndEnd, ['G', '⇧ G']],
  [shortcuts.times, ['T']],
  [shortcuts.wrap, ['W']],
  [shortcuts.details, ['I']],
  [shortcuts.select, ['⇧ ↑', '⇧ ↓']],
  [shortcuts.copyLines, [`${modKey}C`, `⇧ ${modKey}C`]],
  [shortcuts.copyLink, ['Y']],
  [shortcuts.otherSide, ['R']],
];

export function Shortcuts(): JSX.Element {
  const letterKeys = usePreferencesStore((preferences) => preferences.letterKeys);
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : closeDialog())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dlg wide">
          <Dialog.Title>{shortcuts.title}</Dialog.Title>
          <div className="keys">
            <KeyList title={shortcuts.everywhere} lines={EVERYWHERE} />
            <KeyList title={shortcuts.lists} lines={LISTS} />
            <KeyList title={shortcuts.log} lines={LOG} />
          </div>
          <label className="check">
            <input
              type="checkbox"
              checked={letterKeys}
              onChange={(event) => setPreferences({ letterKeys: event.target.checked })}
            />
            {shortcuts.letters}
          </label>
          <div className="dlg-foot">
            <Button onClick={closeDialog}>{words.dialogs.close}</Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface KeyListProps {
  readonly title: string;
  readonly lines: readonly Line[];
}

function KeyList({ title, lines }: KeyListProps): JSX.Element {
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {lines.map(([text, keys]) => (
          <li key={text}>
            {text}
            <span className="row">
              {keys.map((key) => (
                <kbd key={key} className="kbd">
                  {key}
                </kbd>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
