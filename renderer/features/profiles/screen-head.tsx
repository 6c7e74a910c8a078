/** The head of a screen that was opened from the list of profiles, with the way back to it. */
import type { JSX } from 'react';
import { Icon } from '../../components/icon.tsx';
import { words } from '../../words.ts';
import { addressOf } from './profile-address.ts';

export function ScreenHead({ title }: { readonly title: string }): JSX.Element {
  return (
    <header className="head">
      <a
        className="btn icon sm ghost"
        href={addressOf({ at: 'list' })}
        aria-label={words.profiles.toProfiles}
        title={words.profiles.toProfiles}
      >
        <Icon name="back" />
      </a>
      <h1 className="title trunc">{title}</h1>
    </header>
  );
}
