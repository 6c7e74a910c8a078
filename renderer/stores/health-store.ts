/** A copy of the checks: the side bar counts what needs attention, the screen shows all of them. */
import { create } from 'zustand';
import type { HealthView } from '../../main/contract/views.ts';
import type { Problem } from '../../main/contract/frames.ts';
import type { HostClient, Unwatch } from '../host-client/host-client.ts';
import { toProblem } from '../host-client/problem.ts';

interface HealthStore {
  /** Null before the first answer; kept while the connection is lost. */
  readonly health: HealthView | null;
  readonly problem: Problem | null;
}

export const useHealthStore = create<HealthStore>()(() => ({ health: null, problem: null }));

export function followHealth(client: HostClient): Unwatch {
  return client.watch(
    'health',
    {},
    (health) => useHealthStore.setState({ health, problem: null }),
    (error) => useHealthStore.setState({ problem: toProblem(error) }),
  );
}

export function useHealth(): HealthView | null {
  return useHealthStore((store) => store.health);
}
