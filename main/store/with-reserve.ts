/** Commits on a full disk: from the blocks the database has already, then from the reserve. */
import type { HostDatabase } from './database.ts';
import { isDiskFull, type DiskReserve } from './disk-reserve.ts';

/** `commit` is called again after each step; throws its last failure where nothing helps. */
export function withReserve<T>(reserve: DiskReserve, database: HostDatabase, commit: () => T): T {
  try {
    return commit();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    reserve.noteFull();
  }
  for (;;) {
    restartWal(database);
    try {
      return commit();
    } catch (error) {
      if (!isDiskFull(error) || !reserve.release()) throw error;
    }
  }
}

/** After it, the next commit is written over the start of the WAL file, in blocks that are ours already. */
function restartWal(database: HostDatabase): void {
  try {
    database.pragma('wal_checkpoint(RESTART)');
  } catch {
    // The main file may have to grow for it: the next step of the reserve gives it room.
  }
}
