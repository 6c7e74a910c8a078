/** Health, timeline and profiles of a host that looks at nothing, for tests that are about something else. */
import type { HostRequestsDeps } from '../../main/services/host-requests.ts';
import type { HostViewsDeps } from '../../main/services/host-views.ts';
import type { Timeline } from '../../main/services/timeline/timeline.ts';
import { Health } from '../../main/services/health/health.ts';
import { MemorySettings } from './api-bench.ts';
import { FakeClock } from './fake-clock.ts';
import { RecordedLog } from './recorded-log.ts';

type Idle = Pick<HostRequestsDeps, 'profiles' | 'desk' | 'conversations'> &
  Pick<HostViewsDeps, 'desk' | 'conversations'> & {
    readonly health: Health;
    readonly timeline: Pick<Timeline, 'view'>;
  };

export function idleHealth(): Idle {
  const health = new Health({
    clock: new FakeClock(),
    log: new RecordedLog(),
    checks: () => {
      throw new Error('not looked at here');
    },
    settings: new MemorySettings(),
    changed: () => undefined,
  });
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  return {
    health,
    timeline: { view: () => ({ events: [], total: 0 }) },
    profiles: { list: () => ({ isAllowed: false, profiles: [], problems: [], file: '' }) },
    desk: {
      view: unused,
      check: unused,
      save: unused,
      remove: unused,
      duplicate: unused,
      import: unused,
      export: unused,
      turn: unused,
      allow: unused,
      recheck: unused,
      try: unused,
      tryStop: unused,
      tryView: unused,
    },
    conversations: { head: unused, page: unused },
  };
}
