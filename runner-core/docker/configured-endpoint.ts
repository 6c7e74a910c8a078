/** The engine that environment or Docker's configuration names: DOCKER_HOST, DOCKER_CONTEXT, current context. */
import { createHash } from 'node:crypto';
import { posix, win32, type PlatformPath } from 'node:path';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { EngineAddress } from '../worker/protocol.ts';
import type { EndpointProbe, EngineFailure, Env } from './engine-choice.ts';

export type Configured =
  /** Nobody named one. */
  | { readonly kind: 'none' }
  | { readonly kind: 'address'; readonly address: EngineAddress; readonly why: string }
  | { readonly kind: 'unusable'; readonly failure: EngineFailure };

const TLS_FILES = ['ca.pem', 'cert.pem', 'key.pem'] as const;

/** Docker's own configuration, which may name a context. */
export function configFile(env: Env, homeDir: string, platform: NodeJS.Platform): string {
  const path = platform === 'win32' ? win32 : posix;
  return path.join(env['DOCKER_CONFIG'] ?? path.join(homeDir, '.docker'), 'config.json');
}

/** What is named, in the order of precedence of the Docker command line. Never rejects. */
export async function configuredAddress(
  env: Env,
  homeDir: string,
  platform: NodeJS.Platform,
  probe: EndpointProbe,
): Promise<Configured> {
  const path = platform === 'win32' ? win32 : posix;
  const configDir = path.dirname(configFile(env, homeDir, platform));
  const host = env['DOCKER_HOST']?.trim() ?? '';
  if (host !== '') {
    const tls = env['DOCKER_TLS_VERIFY'] ? (env['DOCKER_CERT_PATH'] ?? configDir) : null;
    return readHost(host, tls, 'DOCKER_HOST');
  }
  const context = await currentContext(env, path.join(configDir, 'config.json'), probe);
  if (context === undefined) return { kind: 'none' };
  return readContext(context, path.join(configDir, 'contexts'), path, probe);
}

interface NamedContext {
  readonly name: string;
  readonly from: string;
}

/** The context to use; undefined for none and for `default`, which means the usual sockets. */
async function currentContext(
  env: Env,
  configFile: string,
  probe: EndpointProbe,
): Promise<NamedContext | undefined> {
  const fromEnv = env['DOCKER_CONTEXT']?.trim() ?? '';
  const inFile = fromEnv === '' ? parseObject(await probe.readText(configFile)) : undefined;
  const named = fromEnv === '' ? inFile?.['currentContext'] : fromEnv;
  if (typeof named !== 'string' || named === '' || named === 'default') return undefined;
  return { name: named, from: fromEnv === '' ? 'the current Docker context' : 'DOCKER_CONTEXT' };
}

async function readContext(
  context: NamedContext,
  contextsDir: string,
  path: PlatformPath,
  probe: EndpointProbe,
): Promise<Configured> {
  const folder = createHash('sha256').update(context.name).digest('hex');
  const meta = parseObject(
    await probe.readText(path.join(contextsDir, 'meta', folder, 'meta.json')),
  );
  const why = `${context.from} "${context.name}"`;
  const endpoints = meta?.['Endpoints'];
  const docker = isJsonObject(endpoints) ? endpoints['docker'] : undefined;
  const host = isJsonObject(docker) ? docker['Host'] : undefined;
  if (typeof host !== 'string' || host === '') {
    return unusable(
      `${why} names a Docker context that is not defined on this machine.`,
      'Choose another context with `docker context use`.',
      context.name,
    );
  }
  if (isJsonObject(docker) && docker['SkipTLSVerify'] === true) {
    return unusable(
      `${why} asks to skip the check of the engine's certificate, which the runner host never does.`,
      'Give the context the certificate authority with `docker context update --docker ca=FILE`.',
      context.name,
    );
  }
  const tlsDir = path.join(contextsDir, 'tls', folder, 'docker');
  const files = await Promise.all(TLS_FILES.map((file) => probe.exists(path.join(tlsDir, file))));
  return readHost(host, files.includes(true) ? tlsDir : null, why);
}

/** Reads `unix://`, `npipe://`, `tcp://`, `http(s)://` and bare `host:port`. */
function readHost(host: string, tlsDir: string | null, why: string): Configured {
  const found = (address: EngineAddress): Configured => ({ kind: 'address', address, why });
  if (host.startsWith('unix://')) return found({ kind: 'socket', path: host.slice(7) });
  if (host.startsWith('npipe://')) return found({ kind: 'socket', path: host.slice(8) });
  if (host.startsWith('ssh://')) {
    return unusable(
      `${why} names an engine over SSH, which the runner host does not use.`,
      'Use an engine on this machine, or forward its socket and set DOCKER_HOST to that.',
      'ssh',
    );
  }
  const url = URL.parse(host.includes('://') ? host : `tcp://${host}`);
  if (url === null || !['tcp:', 'http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    return unusable(
      `${why} names no engine address that can be read.`,
      'Set it to an address such as unix:///var/run/docker.sock, or unset it.',
      null,
    );
  }
  const port = url.port === '' ? (tlsDir === null ? 2375 : 2376) : Number(url.port);
  return found({ kind: 'tcp', host: url.hostname, port, tlsDir });
}

function unusable(reason: string, remedy: string, where: string | null): Configured {
  return { kind: 'unusable', failure: { kind: 'unreachable', reason, remedy, where } };
}

function parseObject(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
