/** States of the session with the service, as the owner sees them. Pure data. */
import type { NetworkProblem } from './network-problem.ts';

export const REFUSALS = ['unauthorized', 'gone', 'deleted', 'rotated', 'replaced'] as const;
/** Why the service will not have us; none of these heals by trying again. */
export type Refusal = (typeof REFUSALS)[number];

export type SessionState =
  /** No identity for this server yet: the owner has to enrol. */
  | { readonly kind: 'signed_out'; readonly sinceMs: number }
  | { readonly kind: 'dialling'; readonly sinceMs: number; readonly attempt: number }
  | { readonly kind: 'online'; readonly sinceMs: number; readonly capacity: number | null }
  | {
      readonly kind: 'waiting';
      readonly sinceMs: number;
      readonly retryAtMs: number;
      readonly attempt: number;
      /** Short, plain, secret-free: what ended the last session or dial. */
      readonly cause: string;
      /** The same as a cause with its remedy, where dialling failed on the way to the service. */
      readonly problem?: NetworkProblem;
    }
  | { readonly kind: 'refused'; readonly sinceMs: number; readonly refusal: Refusal }
  | { readonly kind: 'closed'; readonly sinceMs: number };
