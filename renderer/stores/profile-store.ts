/**
 * How many profiles are left out, or went off since they changed, for the side bar. Asked for once a connection: the
 * topic, which also looks for Cursor, is watched by its own screens only, since opening the page should start no program.
 */
import { create } from 'zustand';
import type { ProfileStateName } from '../../main/contract/profile-views.ts';
import type { HostClient, Unwatch } from '../host-client/host-client.ts';

interface ProfileStore {
  readonly leftOut: number;
}

const useProfileStore = create<ProfileStore>()(() => ({ leftOut: 0 }));

export function useLeftOut(): number {
  return useProfileStore((store) => store.leftOut);
}

export function countLeftOut(profiles: readonly { readonly state: ProfileStateName }[]): void {
  const leftOut = profiles.filter(
    ({ state }) => state === 'left_out' || state === 'changed',
  ).length;
  useProfileStore.setState({ leftOut });
}

export function followProfiles(client: HostClient): Unwatch {
  let wasConnected = false;
  return client.onChange(() => {
    const isConnected = client.connection.kind === 'connected';
    if (isConnected && !wasConnected)
      client.request('profiles.list', {}).then(
        ({ profiles }) => countLeftOut(profiles),
        // The count stays as it was; the screen itself tells what is wrong.
        () => undefined,
      );
    wasConnected = isConnected;
  });
}
