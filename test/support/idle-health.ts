/** Health and timeline of a host that looks at nothing, for tests that are about something else. */
import type { Timeline } from '../../main/services/timeline/timeline.ts';
import { Health } from '../../main/services/health/health.ts';
import { MemorySettings } from './api-bench.ts';
import { FakeClock } from './fake-clock.ts';
import { RecordedLog } from './recorded-log.ts';

export function idleHealth(): {
  readonly health: Health;
  readonly timeline: Pick<Timeline, 'view'>;
} {
  const health = new Health({
    clock: new FakeClock(),
    log: new RecordedLog(),
    checks: () => {
      throw new Error('not looked at here');
    },
    settings: new MemorySettings(),
    changed: () => undefined,
  });
  return { health, timeline: { view: () => ({ events: [], total: 0 }) } };
}
