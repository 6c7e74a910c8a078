/** What the service's record of a runner says, read with the *owner's* token: a runner's own opens no REST call. */
import { runnerRowSchema } from '../../runner-core/wire/rest.ts';
import type { RunnerId } from '../../runner-core/model/ids.ts';
import { callService } from './http-call.ts';
import type { ServiceRoute } from './service-route.ts';

const TIMEOUT_MS = 10_000;

/**
 * The host name the runner last registered with (`GET /runners/{id}`), as the service keeps it. Null where the record
 * has none or the service does not show it. Rejects with a NetworkError.
 */
export async function recordedHostname(
  route: ServiceRoute,
  serverUrl: string,
  ownerToken: string,
  runnerId: RunnerId,
): Promise<string | null> {
  const { status, text } = await callService(route, {
    url: new URL(`${serverUrl}/api/v1/runners/${runnerId}`),
    method: 'GET',
    headers: {
      Accept: 'application/json',
      'User-Agent': 'preloop-runner-host',
      Authorization: `Bearer ${ownerToken}`,
    },
    body: '',
    timeoutMs: TIMEOUT_MS,
  });
  return status === 200 ? hostnameIn(text) : null;
}

function hostnameIn(text: string): string | null {
  try {
    return runnerRowSchema.pick({ hostname: true }).parse(JSON.parse(text)).hostname ?? null;
  } catch {
    return null;
  }
}
