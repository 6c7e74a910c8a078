/** Which of the screens of profiles an address names: `#/profiles?edit=cursor-review`. Pure. */
import { formatRoute } from '../../router.ts';

export type ProfilePlace =
  | { readonly at: 'list' }
  | { readonly at: 'new' }
  | { readonly at: 'import' }
  | { readonly at: 'limits' }
  | { readonly at: 'edit'; readonly profile: string }
  | { readonly at: 'try'; readonly profile: string };

export function parsePlace(parameters: string): ProfilePlace {
  const query = new URLSearchParams(parameters);
  const edited = query.get('edit');
  if (edited !== null) return { at: 'edit', profile: edited };
  const tried = query.get('try');
  if (tried !== null) return { at: 'try', profile: tried };
  for (const at of ['new', 'import', 'limits'] as const) if (query.has(at)) return { at };
  return { at: 'list' };
}

export function parametersOf(place: ProfilePlace): string {
  if (place.at === 'list') return '';
  return new URLSearchParams(
    'profile' in place ? { [place.at]: place.profile } : { [place.at]: '' },
  ).toString();
}

export function addressOf(place: ProfilePlace): string {
  return formatRoute({ name: 'profiles', parameters: parametersOf(place) });
}
