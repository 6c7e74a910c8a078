/** What every part of the plane is given: its ports, its store, and how to change the one and tell the other. */
import type { SealedBox } from '../runner-core/sealing/key-file-box.ts';
import type { Clock, Log } from '../runner-core/ports.ts';
import { Effects } from './effects.ts';
import type { LiveSockets } from './live-sockets.ts';
import type { PlaneStore } from './store/plane-store.ts';

/** `hosted` does what the hosted service does, weaknesses included; `improved` mends them compatibly. */
export type Behaviour = 'hosted' | 'improved';

export interface PlaneParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: PlaneStore;
  readonly box: SealedBox;
  readonly behaviour: Behaviour;
  /** Slots that the owner lets a new runner have. */
  readonly ceiling: number;
  readonly live: LiveSockets;
  /** Wall-clock budget of executions that name none. */
  readonly defaultBudgetSeconds: number;
  /** `http://host:port`, known once the plane listens. */
  publicUrl(): string;
}

/** Runs `work` as one transaction; when it is on disk, runs the effects it collected. */
export function transact<T>(parts: PlaneParts, work: (effects: Effects) => T): T {
  const effects = new Effects();
  const result = parts.store.transaction(() => work(effects));
  effects.run(parts.log);
  return result;
}
