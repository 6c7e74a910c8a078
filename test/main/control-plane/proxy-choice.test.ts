import { expect, test } from 'vitest';
import { proxyAddress, proxyFor, proxySecrets } from '../../../main/control-plane/proxy-choice.ts';

const PROXY = 'http://proxy.corp:3128';

/** `host:port` of the proxy, `direct`, or why it cannot be used. */
function way(
  target: string,
  environment: Readonly<Record<string, string>>,
  configured: string | null = null,
): string {
  const choice = proxyFor(new URL(target), { configured, environment });
  if (choice.kind === 'proxy') return proxyAddress(choice.url);
  return choice.kind === 'direct' ? 'direct' : `unusable: ${choice.from}`;
}

test.each([
  [{}, 'direct'],
  [{ HTTPS_PROXY: PROXY }, 'proxy.corp:3128'],
  [{ https_proxy: PROXY }, 'proxy.corp:3128'],
  [{ https_proxy: 'http://small:1', HTTPS_PROXY: 'http://large:2' }, 'small:1'],
  [{ ALL_PROXY: PROXY }, 'proxy.corp:3128'],
  [{ all_proxy: PROXY, HTTPS_PROXY: 'http://first:1' }, 'first:1'],
  [{ HTTP_PROXY: PROXY }, 'direct'],
  [{ HTTPS_PROXY: '' }, 'direct'],
  [{ HTTPS_PROXY: 'proxy.corp:3128' }, 'proxy.corp:3128'],
  [{ HTTPS_PROXY: 'http://proxy.corp' }, 'proxy.corp:80'],
  [{ HTTPS_PROXY: 'https://proxy.corp' }, 'proxy.corp:443'],
  [{ HTTPS_PROXY: 'socks5://proxy.corp:1080' }, 'unusable: HTTPS_PROXY'],
  [{ ALL_PROXY: 'http://u:%zz@proxy.corp' }, 'unusable: ALL_PROXY'],
])('an https address with %j is reached over %s', (environment, expected) => {
  expect(way('https://preloop.example/', environment)).toBe(expected);
});

test.each([
  ['preloop.example', 'direct'],
  ['example', 'direct'],
  ['.example', 'direct'],
  ['*.preloop.example', 'direct'],
  ['PRELOOP.EXAMPLE', 'direct'],
  ['other.example, preloop.example', 'direct'],
  ['other.example preloop.example', 'direct'],
  ['*', 'direct'],
  ['preloop.example:443', 'direct'],
  ['preloop.example:8443', 'proxy.corp:3128'],
  ['loop.example', 'proxy.corp:3128'],
  ['', 'proxy.corp:3128'],
])('with NO_PROXY "%s" the service is reached over %s', (list, expected) => {
  expect(way('https://preloop.example/', { HTTPS_PROXY: PROXY, NO_PROXY: list })).toBe(expected);
});

test.each([
  ['https://10.1.2.3/', '10.0.0.0/8', 'direct'],
  ['https://11.1.2.3/', '10.0.0.0/8', 'proxy.corp:3128'],
  ['https://10.1.2.3/', '10.1.2.3', 'direct'],
  ['https://110.1.2.3/', '0.1.2.3', 'proxy.corp:3128'],
  ['https://[fd00::1]/', 'fd00::/8', 'direct'],
  ['https://[fd00::1]/', '[fd00::1]', 'direct'],
  ['https://10.1.2.3/', '10.0.0.0/99', 'proxy.corp:3128'],
])('%s with NO_PROXY "%s" is reached over %s', (target, list, expected) => {
  expect(way(target, { HTTPS_PROXY: PROXY, no_proxy: list })).toBe(expected);
});

test('this machine is never reached through a proxy', () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.9.9.9'])
    expect(way(`https://${host}/`, { HTTPS_PROXY: PROXY }, PROXY)).toBe('direct');
});

test('settings.yaml wins over the environment, NO_PROXY over both, and none turns them off', () => {
  const environment = { HTTPS_PROXY: 'http://environment:1' };
  expect(way('https://preloop.example/', environment, PROXY)).toBe('proxy.corp:3128');
  expect(way('https://preloop.example/', environment, 'none')).toBe('direct');
  expect(way('https://preloop.example/', { NO_PROXY: '*' }, PROXY)).toBe('direct');
});

test('the address that is shown has no login, and every form of the password is known to be hidden', () => {
  const url = new URL('http://ann:s%40cret-1@proxy.corp:3128');
  expect(proxyAddress(url)).toBe('proxy.corp:3128');
  const login = Buffer.from('ann:s@cret-1').toString('base64');
  expect(proxySecrets(url)).toEqual(['s%40cret-1', 's@cret-1', login]);
  expect(proxySecrets(new URL(PROXY))).toEqual([]);
});
