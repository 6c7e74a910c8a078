/**
 * Sealing of short texts with a key kept in a file only its owner can read. Owns the key file and the
 * layout of what is sealed; where sealed bytes are stored is the caller's matter. It protects against
 * a copied database or backup, not against someone who can read the key file beside it.
 *
 * Layout: version (1 byte) | nonce (12) | tag (16) | ciphertext. The version is authenticated.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { link, open, unlink } from 'node:fs/promises';
import { RunnerError } from '../model/errors.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
const VERSION = Buffer.of(1);
const KEY_MODE = 0o600;

export interface SealedBox {
  seal(text: string): Uint8Array;
  /** Throws SealBrokenError for bytes that were altered, cut, or sealed with another key. */
  open(sealed: Uint8Array): string;
}

/** The key file is not fit to hold a key: others can reach it, or it is no key at all. */
export class KeyFileError extends RunnerError {
  readonly code = 'key_file_unfit';
  readonly facts: { readonly path: string; readonly problem: string };
  constructor(facts: KeyFileError['facts'], options?: ErrorOptions) {
    super(`Key file ${facts.path} ${facts.problem}`, options);
    this.facts = facts;
  }
}

/** Sealed bytes that this key does not open. */
export class SealBrokenError extends RunnerError {
  readonly code = 'seal_broken';
  constructor(options?: ErrorOptions) {
    super('Sealed bytes cannot be opened with this key', options);
  }
}

/**
 * A box over the key in `path`, which is created with mode 0600 when it is missing; its folder must
 * exist. Two processes that create it at once end up with the same key.
 *
 * @throws KeyFileError when the file is no regular file, has another mode, or is not 32 bytes long
 */
export async function openKeyFileBox(path: string): Promise<SealedBox> {
  return keyBox((await readKey(path)) ?? (await createKey(path)));
}

async function readKey(path: string): Promise<Buffer | undefined> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined;
    throw new KeyFileError({ path, problem: 'cannot be read' }, { cause: error });
  });
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new KeyFileError({ path, problem: 'is not a regular file' });
    const mode = found.mode & 0o777;
    // Windows has no such bits; there the profile folder's own list of readers protects the file.
    if (process.platform !== 'win32' && mode !== KEY_MODE) {
      const problem = `has mode 0${mode.toString(8)}; it must be 0600`;
      throw new KeyFileError({ path, problem });
    }
    if (found.size !== KEY_BYTES) {
      throw new KeyFileError({ path, problem: `has ${found.size} bytes; a key has ${KEY_BYTES}` });
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Written aside and linked into place: nobody ever sees half a key, and the first creator wins. */
async function createKey(path: string): Promise<Buffer> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', KEY_MODE);
  try {
    await file.chmod(KEY_MODE);
    await file.writeFile(randomBytes(KEY_BYTES));
    await file.sync();
    await link(draft, path).catch((error: unknown) => {
      if (!isCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await file.close();
    await unlink(draft);
  }
  const key = await readKey(path);
  if (key === undefined) throw new KeyFileError({ path, problem: 'vanished while it was created' });
  return key;
}

function keyBox(key: Buffer): SealedBox {
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(VERSION);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([VERSION, nonce, cipher.getAuthTag(), body]);
    },
    open(sealed) {
      if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION[0]) throw new SealBrokenError();
      try {
        const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
        const opener = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
        opener.setAAD(VERSION).setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
        const text = Buffer.concat([opener.update(sealed.subarray(HEADER_BYTES)), opener.final()]);
        return text.toString('utf8');
      } catch (error) {
        throw new SealBrokenError({ cause: error });
      }
    },
  };
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
