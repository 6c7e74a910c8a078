/** The list of jobs for a filter, kept fresh by the `jobs` topic and after each reconnect. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { JobFilter } from '../../../main/contract/requests.ts';
import { pageClient } from '../../host-client/page-client.ts';
import type { JobsRoute } from '../../router.ts';
import { useConnected } from '../../stores/connection-store.ts';
import { JobWindows, type JobList } from './job-windows.ts';

export interface ShownJobs {
  readonly list: JobList;
  readonly show: (first: number, last: number) => void;
  readonly retry: () => void;
}

export function useJobList({ states, text }: JobsRoute): ShownJobs {
  const connected = useConnected();
  const [, setVersion] = useState(0);
  const stateKey = states.join('.');
  const windows = useMemo(() => {
    const filter: JobFilter = {
      ...(stateKey === '' ? {} : { states: [...states] }),
      ...(text === '' ? {} : { text }),
    };
    return new JobWindows(
      (offset, limit) => pageClient.request('jobs.page', { filter, offset, limit }),
      () => setVersion((version) => version + 1),
    );
    // `states` is made anew from the address at each draw; its key says whether it differs.
  }, [stateKey, text]);
  useEffect(() => {
    if (!connected) return;
    windows.show(0, 40);
    return pageClient.watch('jobs', {}, () => windows.invalidate());
  }, [connected, windows]);
  const show = useCallback((first: number, last: number) => windows.show(first, last), [windows]);
  const retry = useCallback(() => windows.invalidate(), [windows]);
  return { list: windows.list, show, retry };
}
