/** A copy of what the client knows of its connection, for components. */
import { create } from 'zustand';
import type { Connection } from '../host-client/connection.ts';
import type { HostClient } from '../host-client/host-client.ts';

interface ConnectionStore {
  readonly connection: Connection;
  readonly lastAnswerMs: number | null;
}

export const useConnectionStore = create<ConnectionStore>()(() => ({
  connection: { kind: 'connecting', sinceMs: 0 },
  lastAnswerMs: null,
}));

export function followConnection(client: HostClient): () => void {
  const copy = (): void =>
    useConnectionStore.setState({
      connection: client.connection,
      lastAnswerMs: client.lastAnswerMs,
    });
  copy();
  return client.onChange(copy);
}

/** Whether what needs the host can be done now. */
export function useConnected(): boolean {
  return useConnectionStore((store) => store.connection.kind === 'connected');
}
