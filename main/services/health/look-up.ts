/** A name to its addresses, as every connection of ours resolves it, in bounded time. */
import { lookup } from 'node:dns/promises';
import type { Clock } from '../../../runner-core/ports.ts';
import { networkProblem } from '../../control-plane/network-problem-of.ts';
import type { LookedUp } from './service-checks.ts';

const TIMEOUT_MS = 10_000;

/** Never rejects. */
export async function lookUp(clock: Clock, host: string, signal: AbortSignal): Promise<LookedUp> {
  const done = new AbortController();
  try {
    const found = await Promise.race([
      lookup(host, { all: true }),
      // The system's own resolver cannot be called off; its answer then comes too late.
      clock.wait(TIMEOUT_MS, AbortSignal.any([signal, done.signal])).then(() => null),
    ]);
    if (found === null || found.length === 0)
      return failedBy({ code: found === null ? 'EAI_AGAIN' : 'ENOTFOUND' }, host);
    return { addresses: found.map(({ address }) => address), problem: null };
  } catch (error) {
    return failedBy(error, host);
  } finally {
    done.abort(new Error('no longer waited for'));
  }
}

function failedBy(error: unknown, host: string): LookedUp {
  const problem = networkProblem(error, { via: 'service', address: host, issuer: null });
  return { addresses: [], problem };
}
