/**
 * Whose certificates are believed: those that Node brings, those of the system, and the owner's extra file. Owns
 * one TLS context, made when it is first needed and again when a file changed. Nothing here turns a check off.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { NetworkError } from '../../runner-core/model/network-problem.ts';
import type { Log } from '../../runner-core/ports.ts';

export interface CertificateFiles {
  /** `network: ca_file`. */
  readonly configured: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const BETWEEN = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const MAX_FILE_BYTES = 4 * 2 ** 20;

export class TrustedCertificates {
  readonly #log: Log;
  #made: { readonly stamp: string; readonly context: SecureContext } | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Throws NetworkError where `ca_file` cannot be used: silently trusting less than was asked for would only confuse. */
  context(files: CertificateFiles): SecureContext {
    const named = namedFiles(files);
    const stamp = named.map(({ path }) => `${path} ${stampOf(path)}`).join('\n');
    if (this.#made?.stamp === stamp) return this.#made.context;
    const extra = named.flatMap((file) => this.#inFile(file));
    const ca = [...new Set([...getCACertificates('default'), ...this.#ofSystem(), ...extra])];
    const context = createSecureContext({ ca });
    this.#made = { stamp, context };
    return context;
  }

  /** As Node does, what its variable names is left out where it cannot be read. */
  #inFile({ path, from, isRequired }: NamedFile): readonly string[] {
    try {
      return certificatesIn(path);
    } catch (error) {
      if (isRequired) throw new NetworkError({ code: 'ca_file', from, path });
      this.#log.warn('certificates not read', { from, path, error });
      return [];
    }
  }

  #ofSystem(): readonly string[] {
    try {
      return getCACertificates('system');
    } catch (error) {
      this.#log.warn("the system's certificates cannot be read", { error });
      return [];
    }
  }
}

interface NamedFile {
  readonly path: string;
  readonly from: string;
  readonly isRequired: boolean;
}

/** A packaged app's Node does not read its variable, so it is read here as well. */
function namedFiles({ configured, environment }: CertificateFiles): readonly NamedFile[] {
  const variable = environment['NODE_EXTRA_CA_CERTS'] ?? '';
  return [
    ...(configured === null
      ? []
      : [{ path: configured, from: 'network: ca_file', isRequired: true }]),
    ...(variable === ''
      ? []
      : [{ path: variable, from: 'NODE_EXTRA_CA_CERTS', isRequired: false }]),
  ];
}

function certificatesIn(path: string): readonly string[] {
  if (statSync(path).size > MAX_FILE_BYTES) throw new Error('the file is too long');
  const found = readFileSync(path, 'utf8').match(BETWEEN) ?? [];
  if (found.length === 0) throw new Error('there is no certificate in the file');
  // A damaged one throws here, where the file is known, not at each dial.
  return found.map((text) => new X509Certificate(text).toString());
}

function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return [mtimeMs, size, ino].join(' ');
  } catch {
    return '';
  }
}
