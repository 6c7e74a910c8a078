/** What is known of the connection between this page and its host. */
export type Connection =
  | { readonly kind: 'connecting'; readonly sinceMs: number }
  | { readonly kind: 'connected'; readonly sinceMs: number; readonly version: string }
  | { readonly kind: 'lost'; readonly sinceMs: number; readonly retryAtMs: number | null }
  | { readonly kind: 'signed_out'; readonly why: 'no_code' | 'code_refused' | 'token_refused' }
  | { readonly kind: 'wrong_version'; readonly page: number; readonly host: number };

const BASE_MS = 300;
const CAP_MS = 10_000;

/**
 * How long to wait before the next try: short at first, since a restarted host is back in a second; never
 * longer than anybody watches a page in vain.
 *
 * @param attempt tries that failed in a row; 0 or more
 * @param fraction in [0, 1)
 */
export function retryDelayMs(attempt: number, fraction: number): number {
  const ceilingMs = Math.min(CAP_MS, BASE_MS * 2 ** attempt);
  return Math.round(ceilingMs / 2 + (ceilingMs / 2) * fraction);
}
