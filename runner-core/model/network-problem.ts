/**
 * Why the service could not be reached, as a cause with its remedy. Pure data and words: where a cause comes
 * from is known by whoever dialled. No host name in here carries user or password.
 */

export type NetworkProblem =
  /** `address` is `host:port`, of the proxy where one is in use. */
  | { readonly code: 'name_not_found'; readonly via: Via; readonly address: string }
  | { readonly code: 'refused'; readonly via: Via; readonly address: string }
  | { readonly code: 'timed_out'; readonly via: Via; readonly address: string }
  | { readonly code: 'reset'; readonly via: Via; readonly address: string }
  | { readonly code: 'no_network' }
  /** 407. `offered`: a user was sent, and not accepted. */
  | { readonly code: 'proxy_login'; readonly address: string; readonly offered: boolean }
  /** The proxy answered CONNECT with something else than yes or 407. */
  | { readonly code: 'proxy_denied'; readonly address: string; readonly status: number }
  /** What was given as a proxy is no http or https address. `from` names the setting or variable. */
  | { readonly code: 'proxy_unusable'; readonly from: string }
  /** `issuer` as the certificate names it; null where it could not be read. */
  | { readonly code: 'certificate_untrusted'; readonly issuer: string | null }
  | { readonly code: 'certificate_expired' }
  | { readonly code: 'certificate_not_yet_valid' }
  | { readonly code: 'certificate_other_name'; readonly host: string }
  | { readonly code: 'ca_file'; readonly from: string; readonly path: string }
  /** An answer that opens no session. */
  | { readonly code: 'answered'; readonly status: number }
  /** `systemCode` such as EPROTO. */
  | { readonly code: 'other'; readonly systemCode: string };
type Via = 'service' | 'proxy';

export interface NetworkWords {
  /** One clause, no full stop. */
  readonly what: string;
  /** One sentence; null where it heals by itself or nobody here can do anything. */
  readonly remedy: string | null;
}

const PROXY_SETTING = 'HTTPS_PROXY or network: proxy in settings.yaml';

/** Dialling failed, and this is why. The message is plain and secret-free. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly problem: NetworkProblem;
  constructor(problem: NetworkProblem) {
    super(networkWords(problem).what);
    this.problem = problem;
  }
}

export function networkWords(problem: NetworkProblem): NetworkWords {
  switch (problem.code) {
    case 'name_not_found':
      return problem.via === 'proxy'
        ? said(`the name of the proxy ${problem.address} could not be found`, checkProxy())
        : said(
            `the name ${problem.address} could not be found`,
            'Check the network and the address of the service.',
          );
    case 'refused':
      return problem.via === 'proxy'
        ? said(`the proxy ${problem.address} refused the connection`, checkProxy())
        : said('the service refused the connection', null);
    case 'timed_out':
      return problem.via === 'proxy'
        ? said(`the proxy ${problem.address} did not answer in time`, checkProxy())
        : said('the service did not answer in time', null);
    case 'reset':
      return said(
        problem.via === 'proxy'
          ? `the proxy ${problem.address} broke the connection off`
          : 'the connection was reset',
        null,
      );
    case 'no_network':
      return said('the service cannot be reached from this network', 'Check the network.');
    case 'proxy_login':
      return said(
        `the proxy ${problem.address} ${problem.offered ? 'does not accept the login' : 'asks for a login'} (407)`,
        `Put user and password into ${PROXY_SETTING}: http://USER:PASSWORD@${problem.address}.`,
      );
    case 'proxy_denied':
      return said(
        `the proxy ${problem.address} does not let this machine through to the service (${problem.status})`,
        'Ask who runs the proxy to allow it, or name the service in NO_PROXY.',
      );
    case 'proxy_unusable':
      return said(
        `the proxy in ${problem.from} is not an http or https address`,
        'Write it as http://HOST:PORT.',
      );
    case 'certificate_untrusted':
      return said(
        problem.issuer === null
          ? 'the certificate of the service is not trusted on this system'
          : `the certificate was issued by ${problem.issuer}, which this system does not trust`,
        "Name a file with the issuer's certificate under network: ca_file in settings.yaml.",
      );
    case 'certificate_expired':
      return said(
        'the certificate of the service has expired',
        "Check this machine's date; otherwise the service has to renew it.",
      );
    case 'certificate_not_yet_valid':
      return said('the certificate of the service is not valid yet', "Check this machine's date.");
    case 'certificate_other_name':
      return said(
        `the certificate of the service is not for ${problem.host}`,
        'Check the address of the service.',
      );
    case 'ca_file':
      return said(
        `the certificate file ${problem.path} in ${problem.from} cannot be used`,
        'Name a readable file with certificates in PEM form.',
      );
    case 'answered':
      return said(`the service answered ${problem.status} instead of opening the socket`, null);
    case 'other':
      return said(`the connection failed (${problem.systemCode})`, null);
  }
}

function said(what: string, remedy: string | null): NetworkWords {
  return { what, remedy };
}

function checkProxy(): string {
  return `Check ${PROXY_SETTING}.`;
}
