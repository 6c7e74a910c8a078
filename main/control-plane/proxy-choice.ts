/** Which proxy leads to an address: from settings.yaml, else from the environment as curl reads it. Pure. */
import { BlockList, isIP } from 'node:net';

export interface ProxyWishes {
  /** `network: proxy`; wins over the environment's. `none` turns those off. */
  readonly configured: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type ProxyChoice =
  | { readonly kind: 'direct' }
  | { readonly kind: 'proxy'; readonly url: URL; readonly from: string }
  /** `from` names the setting or variable; what it says may hold a password and is not repeated. */
  | { readonly kind: 'unusable'; readonly from: string };

const DIRECT: ProxyChoice = { kind: 'direct' };
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** This machine itself. */
export function isLoopback(target: URL): boolean {
  return LOOPBACK.test(target.hostname);
}

/** This machine itself is never reached through a proxy: no proxy could. */
export function proxyFor(target: URL, { configured, environment }: ProxyWishes): ProxyChoice {
  if (isLoopback(target)) return DIRECT;
  if (configured === 'none') return DIRECT;
  if (isExempt(target, read(environment, 'NO_PROXY')?.text ?? '')) return DIRECT;
  if (configured !== null) return parsed(configured, 'network: proxy');
  const scheme = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const found = read(environment, scheme) ?? read(environment, 'ALL_PROXY');
  return found === null ? DIRECT : parsed(found.text, found.name);
}

/** All that the log must never show of a proxy's address. */
export function proxySecrets(url: URL): readonly string[] {
  const { password, username } = url;
  if (password === '') return [];
  const plain = decoded(password);
  const login = `${decoded(username)}:${plain}`;
  return [password, plain, Buffer.from(login).toString('base64')];
}

/** `host:port`, without user and password. */
export function proxyAddress(url: URL): string {
  const port = url.port !== '' ? url.port : url.protocol === 'https:' ? '443' : '80';
  return `${url.hostname}:${port}`;
}

function parsed(text: string, from: string): ProxyChoice {
  // `proxy:3128` is what people write; as an address it would be of the scheme "proxy".
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '';
  if (!isUsable || !decodable(url)) return { kind: 'unusable', from };
  return { kind: 'proxy', url, from };
}

/** The lower-case name first, as curl does. */
function read(
  environment: ProxyWishes['environment'],
  name: string,
): { readonly name: string; readonly text: string } | null {
  for (const each of [name.toLowerCase(), name]) {
    const text = environment[each]?.trim();
    if (text !== undefined && text !== '') return { name: each, text };
  }
  return null;
}

/** Entries are split at commas and spaces: `*`, a domain and all below it, an address, a network, each with a port or not. */
function isExempt(target: URL, list: string): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = target.port !== '' ? target.port : target.protocol === 'https:' ? '443' : '80';
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return inNetwork(entry, host);
  const withPort = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry);
  const name = (withPort?.[1] ?? entry).replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
  if (withPort !== null && withPort[2] !== port) return false;
  if (isIP(host) !== 0) return host === name;
  return host === name || host.endsWith(`.${name}`);
}

function inNetwork(entry: string, host: string): boolean {
  const [network = '', prefix = ''] = entry.split('/');
  const family = isIP(host);
  if (family === 0 || isIP(network) !== family || !/^\d{1,3}$/.test(prefix)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
  const networks = new BlockList();
  networks.addSubnet(network, Number(prefix), type);
  return networks.check(host, type);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function decodable(url: URL): boolean {
  try {
    decodeURIComponent(url.username);
    decodeURIComponent(url.password);
    return true;
  } catch {
    return false;
  }
}
