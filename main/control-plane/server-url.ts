/** The service's address: what is accepted, and the two addresses made from it. */

export type ServerUrl =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly problem: string; readonly remedy: string };

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * A checked base address without trailing slashes. Plain HTTP is for this machine only, since the
 * runner's token would cross the network readable. User information in the address is refused: it would
 * end in logs and in job environments.
 */
export function parseServerUrl(text: string): ServerUrl {
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return refused(
      `"${text}" is not an http or https address`,
      'Give an address like https://preloop.example.com',
    );
  }
  if (url.username !== '' || url.password !== '') {
    return refused(
      'the address carries a user name or password',
      'Leave them out; give the token in PRELOOP_TOKEN',
    );
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    return refused(`${url.host} would be reached without encryption`, 'Use https');
  }
  if (url.search !== '' || url.hash !== '') {
    return refused('the address carries a query or fragment', 'Give the base address alone');
  }
  return { ok: true, url: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}

/** The runner's socket under `serverUrl`. A path prefix is kept. */
export function socketUrl(serverUrl: string, runnerId: string): string {
  return `${serverUrl.replace(/^http/, 'ws')}/api/v1/runners/${runnerId}/ws`;
}

function refused(problem: string, remedy: string): ServerUrl {
  return { ok: false, problem, remedy };
}
