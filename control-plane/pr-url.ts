/** One spelling for the address of a pull request, so that the same one is recognised again. */
const API_ADDRESS = /^(\/api\/|\/repos\/)/;

/** Unreadable addresses and those of a REST API come back as they are. */
export function normalPullRequestUrl(given: string): string {
  const text = given.trim();
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(withScheme)) return text;
  const url = new URL(withScheme);
  if (API_ADDRESS.test(url.pathname) || url.hostname.startsWith('api.')) return text;
  const path = url.pathname.replace(/\/+$/, '');
  const onGithub = url.hostname === 'github.com';
  const named = onGithub ? path.replace(/\/issues\/(\d+)$/, '/pull/$1') : path;
  return `${url.protocol}//${url.hostname}${named}`;
}
