/**
 * Credentials for pulls, found as the Docker command line finds them: credential helpers first, then
 * the configuration file. Owns no cache and no log: values live as long as one pull.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { HelperEnd, HelperRun } from '../process/run-helper.ts';
import { DOCKER_HUB_KEY, splitImageReference } from './image-reference.ts';

const HELPER_TIMEOUT_MS = 10_000;
/** A helper's name becomes part of a program's name; anything else could leave the search path. */
const HELPER_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
/** How helpers say that the secret is an identity token and no password. */
const TOKEN_USER = '<token>';

/** As the engine's X-Registry-Auth header takes them. */
export type RegistryCredentials =
  | { readonly username: string; readonly password: string; readonly serveraddress: string }
  | { readonly identitytoken: string; readonly serveraddress: string };

export interface RegistryAuthSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  /** Starts a credential helper; `run-helper.ts` in production. */
  readonly runHelper: (run: HelperRun) => Promise<HelperEnd>;
}

export interface RegistryLookup {
  /** Null: pull without. */
  readonly credentials: RegistryCredentials | null;
  /** A plain, secret-free note of why configured credentials could not be had. */
  readonly problem: string | null;
}

/** The credentials for pulling `image`. Never rejects; a public image needs none. */
export async function registryCredentials(
  image: string,
  sources: RegistryAuthSources,
): Promise<RegistryLookup> {
  const { registry } = splitImageReference(image);
  const keys = credentialKeys(registry);
  const config = await readDockerConfig(sources);
  if (config === undefined) return { credentials: null, problem: null };
  const helper = helperFor(config, keys);
  if (helper !== undefined) {
    const answer = await askHelper(helper, keys[0] ?? registry, sources);
    // A store that has nothing does not hide an entry somebody wrote into the file.
    if (answer.credentials !== null || answer.problem !== null) return answer;
  }
  return { credentials: fromFile(config, keys), problem: null };
}

/** Names a registry may have in the file, the one to ask helpers for first. */
function credentialKeys(registry: string): readonly string[] {
  return registry === 'docker.io'
    ? [DOCKER_HUB_KEY, 'docker.io', 'index.docker.io', 'registry-1.docker.io']
    : [registry];
}

async function readDockerConfig(sources: RegistryAuthSources): Promise<JsonObject | undefined> {
  const folder = sources.env['DOCKER_CONFIG'] ?? join(sources.homeDir, '.docker');
  try {
    const parsed: unknown = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function helperFor(config: JsonObject, keys: readonly string[]): string | undefined {
  const helpers = isJsonObject(config['credHelpers']) ? config['credHelpers'] : {};
  for (const key of keys) if (typeof helpers[key] === 'string') return helpers[key];
  return typeof config['credsStore'] === 'string' && config['credsStore'] !== ''
    ? config['credsStore']
    : undefined;
}

async function askHelper(
  helper: string,
  serverName: string,
  { env, runHelper }: RegistryAuthSources,
): Promise<RegistryLookup> {
  const failed = (problem: string): RegistryLookup => ({ credentials: null, problem });
  if (!HELPER_NAME.test(helper)) return failed('the credential helper has an unusable name');
  const program = `docker-credential-${helper}`;
  const end = await runHelper({
    command: program,
    args: ['get'],
    input: serverName,
    timeoutMs: HELPER_TIMEOUT_MS,
    env,
  });
  if (end.kind === 'not_found') return failed(`${program} is not installed`);
  if (end.kind === 'timed_out') return failed(`${program} gave no answer within 10 s`);
  if (end.exitCode !== 0) {
    return /credentials not found/i.test(end.stdout)
      ? { credentials: null, problem: null }
      : failed(`${program} failed with exit code ${end.exitCode}`);
  }
  const credentials = readHelperAnswer(end.stdout, serverName);
  return credentials === null
    ? failed(`${program} gave an unusable answer`)
    : { credentials, problem: null };
}

function readHelperAnswer(stdout: string, serverName: string): RegistryCredentials | null {
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    return null;
  }
  if (!isJsonObject(answer)) return null;
  const { Username: username, Secret: secret } = answer;
  if (typeof username !== 'string' || typeof secret !== 'string') return null;
  return username === TOKEN_USER
    ? { identitytoken: secret, serveraddress: serverName }
    : { username, password: secret, serveraddress: serverName };
}

function fromFile(config: JsonObject, keys: readonly string[]): RegistryCredentials | null {
  const auths = isJsonObject(config['auths']) ? config['auths'] : {};
  const exact = keys.find((key) => auths[key] !== undefined);
  const name = exact ?? Object.keys(auths).find((entry) => keys.includes(hostOf(entry)));
  return name === undefined ? null : readEntry(auths[name], name);
}

/** `https://host:5000/v2/` and `host:5000` name the same registry. */
function hostOf(entry: string): string {
  return entry.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
}

function readEntry(entry: Json | undefined, serveraddress: string): RegistryCredentials | null {
  if (!isJsonObject(entry)) return null;
  const { identitytoken, auth, username, password } = entry;
  if (typeof identitytoken === 'string' && identitytoken !== '')
    return { identitytoken, serveraddress };
  if (typeof auth === 'string' && auth !== '') {
    const decoded = Buffer.from(auth, 'base64').toString('utf8').replace(/\0+$/, '');
    const colon = decoded.indexOf(':');
    if (colon <= 0) return null;
    return {
      username: decoded.slice(0, colon),
      password: decoded.slice(colon + 1),
      serveraddress,
    };
  }
  if (typeof username === 'string' && typeof password === 'string' && username !== '')
    return { username, password, serveraddress };
  return null;
}
