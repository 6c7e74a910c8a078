/** Splits an image reference the way Docker does: which registry, which repository, which tag or digest. */

/** The name Docker's own registry has in credential files, whatever the reference says. */
export const DOCKER_HUB_KEY = 'https://index.docker.io/v1/';

export interface ImageReference {
  /** `docker.io` for Docker's own registry, else host[:port]. */
  readonly registry: string;
  /** All of the reference but tag and digest, as written. */
  readonly name: string;
  /** A tag, or `algorithm:hex`. `latest` where the reference has neither: the engine would pull every tag. */
  readonly tag: string;
}

/** Never throws: a reference the engine will refuse is split as far as it goes. */
export function splitImageReference(reference: string): ImageReference {
  const [beforeDigest = '', digest] = reference.split('@', 2);
  const lastSlash = beforeDigest.lastIndexOf('/');
  const colon = beforeDigest.indexOf(':', lastSlash + 1);
  const name = colon < 0 ? beforeDigest : beforeDigest.slice(0, colon);
  const tag = digest ?? (colon < 0 ? 'latest' : beforeDigest.slice(colon + 1));
  return { registry: registryOf(name), name, tag };
}

/** The first part is a registry only when it looks like a host: a dot, a port, `localhost`, or capitals. */
function registryOf(name: string): string {
  const slash = name.indexOf('/');
  if (slash < 0) return 'docker.io';
  const first = name.slice(0, slash);
  const isHost = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  if (!isHost || first === 'index.docker.io') return 'docker.io';
  return first;
}
