/** The owner's settings.yaml: read anew when it changed, written with its comments kept. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { RunnerError } from '../runner-core/model/errors.ts';
import type { JobLimits, TrustedOption } from '../runner-core/model/job-spec.ts';
import type { Log, OwnerSettings } from '../runner-core/ports.ts';
import { replaceFile } from './atomic-file.ts';
import type { NetworkSettings } from './control-plane/service-route.ts';
import {
  readSettings,
  type DiskLimits,
  type HostDirectoryLimits,
  type Settings,
} from './settings-schema.ts';
import { SETTINGS_TEMPLATE } from './settings-template.ts';

/** A hand-written file of a few lines; more is a mistake, or made to keep the host busy. */
const MAX_BYTES = 256 * 1024;

/** settings.yaml cannot be used as it is; the last good values stay in force. */
export class SettingsFileError extends RunnerError {
  readonly code = 'settings_file';
  readonly facts: {
    readonly path: string;
    /** Counted from 1; null where the file as a whole is meant. */
    readonly line: number | null;
    /** As in `limits.memory`; empty where no field is meant. */
    readonly field: string;
    readonly remedy: string;
  };
  constructor(facts: SettingsFileError['facts'], options?: ErrorOptions) {
    const line = facts.line === null ? '' : `, line ${facts.line}`;
    const field = facts.field === '' ? '' : `, ${facts.field}`;
    super(`${facts.path}${line}${field}: ${facts.remedy}`, options);
    this.facts = facts;
  }
}

/**
 * The owner's settings in `path`; the file is made, all of it comments, when it is missing.
 *
 * @throws SettingsFileError for a bad file: there are no last good values yet, and running without the
 *   owner's limits would be worse than not running
 */
export function openSettingsFile(path: string, log: Log): SettingsFile {
  createIfMissing(path);
  return new SettingsFile(path, log);
}

export class SettingsFile implements OwnerSettings {
  readonly #path: string;
  readonly #log: Log;
  #stamp: string;
  #settings: Settings;
  #problem: SettingsFileError | null = null;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
    this.#stamp = stampOf(path);
    this.#settings = settingsIn(path, load(path));
  }

  limits(): JobLimits {
    return this.#current().limits;
  }

  allowed(flowId: string | null): readonly TrustedOption[] {
    return flowId === null ? [] : (this.#current().allow.get(flowId) ?? []);
  }

  /** Jobs at once that the owner wants at most, 1 to 32. */
  concurrency(): number {
    return this.#current().concurrency;
  }

  /** The image the owner wants the test job to run in, or null. */
  testImage(): string | null {
    return this.#current().testImage;
  }

  /** How long the container of a failed job is kept for a look; null: not at all. */
  keepFailedMs(): number | null {
    return this.#current().keepFailedMs;
  }

  disk(): DiskLimits {
    return this.#current().disk;
  }

  /** Of the folders of local commands; read at each cleaning. */
  hostDirectories(): HostDirectoryLimits {
    return this.#current().hostDirectories;
  }

  /** The way to the service; read for each connection. */
  network(): NetworkSettings {
    return this.#current().network;
  }

  /** Every flow that was allowed something. */
  allowedFlows(): ReadonlyMap<string, readonly TrustedOption[]> {
    return this.#current().allow;
  }

  /** Why the file as it is now is not in force, or null. */
  problem(): SettingsFileError | null {
    this.#current();
    return this.#problem;
  }

  /** Allows the option for this flow's jobs from the next one on. Throws SettingsFileError. */
  allow(flowId: string, option: TrustedOption): void {
    this.#edit((document) => {
      const held = document.getIn(['allow', flowId]);
      if (isSeq(held)) {
        if (!held.items.some((item) => isScalar(item) && item.value === option)) held.add(option);
      } else {
        if (!isMap(document.get('allow'))) document.set('allow', document.createNode({}));
        document.setIn(['allow', flowId], document.createNode([option], { flow: true }));
      }
    });
  }

  /** Takes the permission back; jobs that run keep what they were started with. Throws SettingsFileError. */
  revoke(flowId: string, option: TrustedOption): void {
    this.#edit((document) => {
      const held = document.getIn(['allow', flowId]);
      if (!isSeq(held)) return;
      held.items = held.items.filter((item) => !isScalar(item) || item.value !== option);
      if (held.items.length === 0) document.deleteIn(['allow', flowId]);
    });
  }

  #current(): Settings {
    const stamp = stampOf(this.#path);
    if (stamp === this.#stamp) return this.#settings;
    this.#stamp = stamp;
    try {
      this.#settings = settingsIn(this.#path, load(this.#path));
      if (this.#problem !== null) this.#log.info('settings in force again', { path: this.#path });
      this.#problem = null;
    } catch (error) {
      if (!(error instanceof SettingsFileError)) throw error;
      this.#problem = error;
      this.#log.warn('settings not in force', { error });
    }
    return this.#settings;
  }

  /** Read, changed and replaced in one turn, so that no edit of the owner's made through us is lost. */
  #edit(change: (document: Document.Parsed) => void): void {
    const loaded = load(this.#path);
    settingsIn(this.#path, loaded);
    change(loaded.document);
    try {
      replaceFile(this.#path, loaded.document.toString(), 0o600);
    } catch (error) {
      throw fileError(
        this.#path,
        'it could not be written; check the disk and its permissions',
        error,
      );
    }
    this.#current();
  }
}

interface Loaded {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

function load(path: string): Loaded {
  const lines = new LineCounter();
  const document = parseDocument(readText(path), { lineCounter: lines, uniqueKeys: true });
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault !== undefined) {
    const line = fault.linePos?.[0].line ?? null;
    // Only the kind of fault: the message of the parser quotes the file over several lines.
    const remedy = `this is not YAML (${fault.code.toLowerCase().replaceAll('_', ' ')}); correct the line`;
    throw new SettingsFileError({ path, line, field: '', remedy });
  }
  return { document, lines };
}

function settingsIn(path: string, { document, lines }: Loaded): Settings {
  const reading = readSettings(plainValue(path, document));
  if (reading.ok) return reading.settings;
  const line = lineOf(document, lines, reading.path);
  throw new SettingsFileError({
    path,
    line,
    field: reading.path.join('.'),
    remedy: reading.remedy,
  });
}

function plainValue(path: string, document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    throw fileError(path, 'aliases (*name) are not read; write the value out', error);
  }
}

/** The line of the field, or of the nearest section around it that is there. */
function lineOf(
  document: Document.Parsed,
  lines: LineCounter,
  path: readonly (string | number)[],
): number | null {
  for (let depth = path.length; depth > 0; depth--) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const step = path[depth - 1];
    const node = isMap(parent)
      ? parent.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(step))
          ?.key
      : document.getIn(path.slice(0, depth), true);
    if (isScalar(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return null;
}

function readText(path: string): string {
  const found = attempt(path, () => statSync(path));
  if (found.size > MAX_BYTES) throw fileError(path, 'it is longer than 256 KiB; shorten it');
  return attempt(path, () => readFileSync(path, 'utf8'));
}

function createIfMissing(path: string): void {
  try {
    writeFileSync(path, SETTINGS_TEMPLATE, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw fileError(path, 'it could not be written; check the disk and its permissions', error);
  }
}

/** Changes with every save; '' without a file. */
function stampOf(path: string): string {
  try {
    const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true });
    return [mtimeNs, ctimeNs, size, ino].join(' ');
  } catch {
    return '';
  }
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw fileError(path, 'it could not be read; check that it exists and its permissions', error);
  }
}

function fileError(path: string, remedy: string, cause?: unknown): SettingsFileError {
  return new SettingsFileError({ path, line: null, field: '', remedy }, { cause });
}
