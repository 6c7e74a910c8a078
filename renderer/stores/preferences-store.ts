/** What a person set for this page alone; kept by the browser, unknown to the host. */
import * as z from 'zod';
import { create } from 'zustand';

const KEY = 'runner-host.preferences';
const preferencesSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  /** Single letters act as shortcuts. */
  letterKeys: z.boolean().catch(true),
});
export type Preferences = z.infer<typeof preferencesSchema>;
export type Theme = Preferences['theme'];

export function parsePreferences(text: string | null): Preferences {
  try {
    return preferencesSchema.parse(JSON.parse(text ?? '{}'));
  } catch {
    return preferencesSchema.parse({});
  }
}

export const usePreferencesStore = create<Preferences>()(() => parsePreferences(null));

export function setPreferences(changed: Partial<Preferences>): void {
  usePreferencesStore.setState(changed);
}

/** Reads what was kept, shows it, and keeps what changes from now on. */
export function followPreferences(storage: Storage, page: HTMLElement): () => void {
  const show = ({ theme }: Preferences): void => {
    if (theme === 'system') delete page.dataset['theme'];
    else page.dataset['theme'] = theme;
  };
  const kept = parsePreferences(storage.getItem(KEY));
  usePreferencesStore.setState(kept);
  show(kept);
  return usePreferencesStore.subscribe((preferences) => {
    storage.setItem(KEY, JSON.stringify(preferences));
    show(preferences);
  });
}
