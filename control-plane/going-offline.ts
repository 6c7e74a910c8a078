/** The end of a runner's connection, as it is stored. */
import type { PlaneParts } from './plane-parts.ts';
import type { RunnerConnection } from './runner-connection.ts';

/** Leases and halts stay. A connection that was replaced cannot disturb the newer one. */
export function goOffline(parts: PlaneParts, connection: RunnerConnection): void {
  connection.lost();
  parts.live.leave(connection);
  const { runnerId, connectionId } = connection;
  if (parts.store.runners.keys(runnerId)?.connection_id !== connectionId) return;
  parts.store.runners.update(runnerId, {
    status: 'offline',
    connection_id: null,
    publication_readiness: null,
  });
}
