/** A whole set of health checks from one function; the type tells when there is a new one. */
import type { CheckId } from '../../main/contract/views.ts';
import type { Checks, Look } from '../../main/services/health/check.ts';

export function allChecks(look: (id: CheckId) => Look): Checks {
  return {
    name: look('name'),
    proxy: look('proxy'),
    certificate: look('certificate'),
    web: look('web'),
    live_connection: look('live_connection'),
    clock: look('clock'),
    docker: look('docker'),
    images: look('images'),
    disk: look('disk'),
    store: look('store'),
    cursor: look('cursor'),
  };
}
