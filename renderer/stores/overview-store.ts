/** A copy of the overview: side bar, bottom bar, palette and the first screen show the same. */
import { create } from 'zustand';
import type { OverviewView } from '../../main/contract/views.ts';
import type { HostClient, Unwatch } from '../host-client/host-client.ts';

interface OverviewStore {
  /** Null before the first answer; kept while the connection is lost. */
  readonly overview: OverviewView | null;
}

export const useOverviewStore = create<OverviewStore>()(() => ({ overview: null }));

export function followOverview(client: HostClient): Unwatch {
  return client.watch('overview', {}, (overview) => useOverviewStore.setState({ overview }));
}

export function useOverview(): OverviewView | null {
  return useOverviewStore((store) => store.overview);
}
