/** A way to the service as a machine has it that needs no proxy; each test changes what it is about. */
import { ServiceRoute, type ServiceRouteOptions } from '../../main/control-plane/service-route.ts';
import type { Clock } from '../../runner-core/ports.ts';

export function serviceRoute(
  clock: Clock,
  changes: Partial<ServiceRouteOptions> = {},
): ServiceRoute {
  const ignore = (): void => undefined;
  return new ServiceRoute({
    clock,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    environment: {},
    settings: () => ({ proxy: null, caFile: null }),
    skewChanged: ignore,
    ...changes,
  });
}
