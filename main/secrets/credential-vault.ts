/**
 * The runner's token and the owner's API token of each server, sealed in one file of mode 0600. Owns
 * the file and what is in it; the key belongs to the SealedBox. Whose the runner's token is, is kept beside
 * it: a lost database must not cost this machine its identity, and with it the containers that carry it.
 */
import { readFileSync, renameSync, statSync } from 'node:fs';
import * as z from 'zod';
import { RunnerError } from '../../runner-core/model/errors.ts';
import { toRunnerId, type RunnerId } from '../../runner-core/model/ids.ts';
import type { SealedBox } from '../../runner-core/sealing/key-file-box.ts';
import { replaceFile } from '../atomic-file.ts';

/** `runner` is what the host dials with; `owner` is the owner's API token, kept only if the owner said so. */
export type CredentialKind = 'runner' | 'owner';

/** A few tokens; more than this was not written by us. */
const MAX_FILE_BYTES = 1024 * 1024;
const contentSchema = z.object({
  version: z.literal(1),
  servers: z.record(
    z.string(),
    z.object({
      runner: z.string().optional(),
      owner: z.string().optional(),
      runnerId: z.string().optional(),
    }),
  ),
});
type Content = z.infer<typeof contentSchema>;

/** The credentials do not open with this key, or are not ours. They were moved to `setAside`. */
export class CredentialsDamagedError extends RunnerError {
  readonly code = 'credentials_damaged';
  readonly facts: { readonly path: string; readonly setAside: string };
  constructor(facts: CredentialsDamagedError['facts'], options?: ErrorOptions) {
    super(
      `The credentials in ${facts.path} could not be opened and were moved to ${facts.setAside}. Enrol this host again.`,
      options,
    );
    this.facts = facts;
  }
}

/** The disk refused to read or write the credentials; what was stored before is still there. */
export class CredentialsUnavailableError extends RunnerError {
  readonly code = 'credentials_unavailable';
  override readonly retryable = true;
  readonly facts: { readonly path: string };
  constructor(facts: CredentialsUnavailableError['facts'], options?: ErrorOptions) {
    super(`The credentials in ${facts.path} could not be read or written`, options);
    this.facts = facts;
  }
}

/**
 * The vault over `path`, empty where there is no file.
 *
 * @throws CredentialsDamagedError once; the file was set aside, so the next call gives an empty vault
 */
export function openCredentialVault(path: string, box: SealedBox): CredentialVault {
  return new CredentialVault(path, box, readContent(path, box));
}

/** Synchronous: a call that returned is on disk. Writes throw CredentialsUnavailableError and then change nothing. */
export class CredentialVault {
  readonly #path: string;
  readonly #box: SealedBox;
  #content: Content;

  constructor(path: string, box: SealedBox, content: Content) {
    this.#path = path;
    this.#box = box;
    this.#content = content;
  }

  token(serverUrl: string, kind: CredentialKind): string | undefined {
    return this.#content.servers[nameOf(serverUrl)]?.[kind];
  }

  /** Whose the runner's token is; undefined without one, or for one that was kept without it. */
  runnerId(serverUrl: string): RunnerId | undefined {
    const held = this.#content.servers[nameOf(serverUrl)];
    return held?.runner === undefined ? undefined : toRunnerId(held.runnerId ?? '');
  }

  keepRunner(serverUrl: string, runnerId: RunnerId, token: string): void {
    const held = this.#content.servers[nameOf(serverUrl)] ?? {};
    this.#write(serverUrl, { ...held, runner: token, runnerId });
  }

  keep(serverUrl: string, kind: CredentialKind, token: string): void {
    const { runnerId, ...held } = this.#content.servers[nameOf(serverUrl)] ?? {};
    const whose = kind === 'runner' || runnerId === undefined ? {} : { runnerId };
    this.#write(serverUrl, { ...held, ...whose, [kind]: token });
  }

  /** Forgets one token, or without `kind` all of the server's. */
  forget(serverUrl: string, kind?: CredentialKind): void {
    const held = this.#content.servers[nameOf(serverUrl)];
    if (held === undefined) return;
    const rest = Object.entries(held).filter(([name]) => kind !== undefined && name !== kind);
    this.#write(serverUrl, rest.length === 0 ? undefined : Object.fromEntries(rest));
  }

  /** Every server there is a runner's token for. */
  servers(): readonly string[] {
    return Object.entries(this.#content.servers).flatMap(([server, { runner }]) =>
      runner === undefined ? [] : [server],
    );
  }

  /** Every token held: what the log has to blank. */
  tokens(): readonly string[] {
    return Object.values(this.#content.servers).flatMap(({ runner, owner }) =>
      [runner, owner].filter((token) => token !== undefined),
    );
  }

  #write(serverUrl: string, entry: Content['servers'][string] | undefined): void {
    const others = Object.entries(this.#content.servers).filter(
      ([name]) => name !== nameOf(serverUrl),
    );
    const entries = entry === undefined ? others : [...others, [nameOf(serverUrl), entry] as const];
    const content: Content = { version: 1, servers: Object.fromEntries(entries) };
    try {
      replaceFile(this.#path, this.#box.seal(JSON.stringify(content)), 0o600);
    } catch (error) {
      throw new CredentialsUnavailableError({ path: this.#path }, { cause: error });
    }
    this.#content = content;
  }
}

/** `https://host/` and `https://host` are one server. */
function nameOf(serverUrl: string): string {
  return serverUrl.replace(/\/+$/, '');
}

function readContent(path: string, box: SealedBox): Content {
  const sealed = readSealed(path);
  if (sealed === undefined) return { version: 1, servers: {} };
  try {
    return contentSchema.parse(JSON.parse(box.open(sealed)));
  } catch {
    // No cause: an error of the parser may quote what it read.
    throw new CredentialsDamagedError({ path, setAside: setAside(path) });
  }
}

function readSealed(path: string): Uint8Array | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    return found.size > MAX_FILE_BYTES ? new Uint8Array(0) : readFileSync(path);
  } catch (error) {
    throw new CredentialsUnavailableError({ path }, { cause: error });
  }
}

function setAside(path: string): string {
  const aside = `${path}.damaged`;
  try {
    renameSync(path, aside);
  } catch (error) {
    throw new CredentialsUnavailableError({ path }, { cause: error });
  }
  return aside;
}
