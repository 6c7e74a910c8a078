/** Which runners an execution may go to: pool names, capacity and the order of candidates. */
import type { RunnerRow } from './store/runner-table.ts';

export const HEARTBEAT_TTL_MS = 45_000;
export const DEFAULT_CEILING = 2;
export const MAX_CONCURRENCY = 32;

/**
 * The pool an execution waits for: the first of these that is not blank. `server` means the service's
 * own machines, of which a plane has none: it is treated like `auto`.
 */
export function resolvePool(...wishes: readonly (string | null | undefined)[]): string {
  const chosen = wishes.map((wish) => wish?.trim() ?? '').find((wish) => wish !== '');
  if (chosen === undefined) return 'auto';
  return ['server', 'auto'].includes(chosen.toLowerCase()) ? 'auto' : chosen;
}

/** `auto` and the empty pool match every runner, `server` none, any other one its id, name or label. */
export function poolMatches(
  pool: string,
  runner: { readonly id: string; readonly name: string; readonly labels: readonly string[] },
): boolean {
  const wanted = pool.toLowerCase();
  if (wanted === '' || wanted === 'auto') return true;
  if (wanted === 'server') return false;
  return [runner.id, runner.name, ...runner.labels].some((name) => name.toLowerCase() === wanted);
}

/** Slots of a runner: what its process reported, under the owner's ceiling; one when it reported nothing. */
export function capacityOf(ceiling: number | null, reported: number | null): number {
  if (reported === null) return 1;
  return Math.max(1, Math.min(Math.max(1, ceiling ?? DEFAULT_CEILING), reported));
}

/** A heartbeat's or registration's word on concurrency: an integer, clamped; anything else is no report. */
export function readConcurrency(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isInteger(value)) return null;
  return Math.min(MAX_CONCURRENCY, Math.max(1, value));
}

export function isReachable(
  runner: Pick<RunnerRow, 'status' | 'last_heartbeat_ms'>,
  nowMs: number,
): boolean {
  if (runner.status === 'offline' || runner.last_heartbeat_ms === null) return false;
  return nowMs - runner.last_heartbeat_ms <= HEARTBEAT_TTL_MS;
}

export function labelsOf(runner: Pick<RunnerRow, 'labels'>): readonly string[] {
  return JSON.parse(runner.labels) as string[];
}

/** Most free slots first; ties by id as text. */
export function byFreeSlots(
  one: { readonly free: number; readonly id: string },
  other: { readonly free: number; readonly id: string },
): number {
  if (one.free !== other.free) return other.free - one.free;
  return one.id < other.id ? -1 : 1;
}
