/** The repository a job works on, as it may be stored and shown: never with the credentials of its address. */
import { isJsonObject, type Json } from '../model/json.ts';

const MAX_LENGTH = 300;
/** `https://user:token@host:443/path?query#fragment`, or the short form `user@host:path`. */
const WEB_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@\s]*@)?([a-z0-9.-]+)(?::\d+)?(\/[^?#\s]*)/i;
const SHORT_ADDRESS = /^(?:[^/:@\s]+@)?([a-z0-9.-]+):(?!\/\/)([^?#\s]+)$/i;

/**
 * `host/owner/name` of the first repository that `git_clone_config` names, or null where it names none in a form
 * we know. What is not understood is left out: it might hold a credential.
 */
export function repositoryOf(gitCloneConfig: Json | undefined): string | null {
  if (!isJsonObject(gitCloneConfig)) return null;
  const { repositories, repository_url: direct } = gitCloneConfig;
  const first: Json | undefined = Array.isArray(repositories)
    ? (repositories as Json[])[0]
    : direct;
  const address = isJsonObject(first) ? first['repository_url'] : first;
  return typeof address === 'string' ? shownRepository(address.trim()) : null;
}

function shownRepository(address: string): string | null {
  if (address.length > 2_048) return null;
  const [, host, path] = WEB_ADDRESS.exec(address) ?? SHORT_ADDRESS.exec(address) ?? [];
  if (host === undefined || path === undefined || path.includes('@')) return null;
  const plain = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  const shown = `${host.toLowerCase()}/${plain}`;
  return plain === '' || shown.length > MAX_LENGTH ? null : shown;
}
