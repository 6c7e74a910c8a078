/** What an error of a connection means. Pure; only codes are read, since messages may carry anything. */
import type { NetworkProblem } from '../../runner-core/model/network-problem.ts';

export interface Reached {
  /** Whom the connection was with when it failed. */
  readonly via: 'service' | 'proxy';
  readonly address: string;
  /** Of the certificate that was shown; null for none. */
  readonly issuer: string | null;
}

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
  'CERT_SIGNATURE_FAILURE',
  'INVALID_CA',
]);

export function networkProblem(error: unknown, reached: Reached): NetworkProblem {
  const { via, address, issuer } = reached;
  const code = codeOf(error);
  if (UNTRUSTED.has(code)) return { code: 'certificate_untrusted', issuer };
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_NODATA':
      return { code: 'name_not_found', via, address };
    case 'ECONNREFUSED':
      return { code: 'refused', via, address };
    case 'ETIMEDOUT':
    case 'ERR_SOCKET_CONNECTION_TIMEOUT':
      return { code: 'timed_out', via, address };
    case 'ECONNRESET':
    case 'EPIPE':
      return { code: 'reset', via, address };
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
      return { code: 'no_network' };
    case 'CERT_HAS_EXPIRED':
      return { code: 'certificate_expired' };
    case 'CERT_NOT_YET_VALID':
      return { code: 'certificate_not_yet_valid' };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return { code: 'certificate_other_name', host: address };
    default:
      // A proxy that says nothing and goes ends its side without an error code of its own.
      if (via === 'proxy' && code === '') return { code: 'reset', via, address };
      return { code: 'other', systemCode: code === '' ? 'no reason given' : code };
  }
}

/** Where several addresses of a name were tried, the first one's. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return 'cause' in error ? codeOf(error.cause) : '';
}
