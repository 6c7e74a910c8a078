/** What the window may visit, and what may be handed to the system's browser. Pure. */

const MAX_URL_LENGTH = 2_048;

/** Parsed; null for what is no absolute address, or carries a user name or password. */
function parse(address: string): URL | null {
  const url = URL.parse(address);
  return url === null || url.username !== '' || url.password !== '' ? null : url;
}

/**
 * Whether `address` is of the host's own page. The scheme is compared too: a `blob:` address has the
 * origin of the page that made it.
 *
 * @param origin `http://127.0.0.1:PORT`
 */
export function isOwnPage(address: string, origin: string): boolean {
  const url = parse(address);
  return url !== null && url.protocol === 'http:' && url.origin === origin;
}

/** The address as the system's browser may be given it; null for anything but `https:`. */
export function externalUrl(address: string): URL | null {
  const url = address.length > MAX_URL_LENGTH ? null : parse(address);
  return url?.protocol === 'https:' ? url : null;
}
