/**
 * One append-only file a job, such as that of its chunk bodies, and the few of them that are kept open. Knows
 * offsets and bytes; which of them count is the index's business.
 */
import * as fs from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import { orUnavailable } from './errors.ts';

/** What is used of the file system; a test gives one that is full. */
export type LogFileSystem = Pick<
  typeof fs,
  'openSync' | 'closeSync' | 'writeSync' | 'readSync' | 'ftruncateSync' | 'statSync' | 'unlinkSync'
>;

/** Far below the usual limit of 1,024 descriptors a process, above the jobs held at once. */
const MAX_OPEN_FILES = 36;

export class LogFiles {
  readonly #logsDir: string;
  readonly #fs: LogFileSystem;
  readonly #suffix: string;
  /** In order of last use. */
  readonly #open = new Map<JobId, number>();

  constructor(logsDir: string, fileSystem: LogFileSystem = fs, suffix = '.log') {
    this.#logsDir = logsDir;
    this.#fs = fileSystem;
    this.#suffix = suffix;
  }

  /**
   * Writes `bodies` one behind the other from `offset` on. Whatever an earlier, failed call left
   * there is overwritten. Throws the system's error, having cut the file back to `offset` if it can.
   */
  append(jobId: JobId, offset: number, bodies: readonly Uint8Array[]): void {
    if (bodies.length === 0) return;
    const fd = this.#descriptor(jobId, true);
    let position = offset;
    try {
      for (const body of bodies) {
        let written = 0;
        while (written < body.length)
          written += this.#fs.writeSync(
            fd,
            body,
            written,
            body.length - written,
            position + written,
          );
        position += body.length;
      }
    } catch (error) {
      this.#cutQuietly(fd, offset);
      throw error;
    }
  }

  /** The `length` bytes at `offset`; fewer where the file is shorter or missing. */
  read(jobId: JobId, offset: number, length: number): Uint8Array {
    let fd: number;
    try {
      fd = this.#descriptor(jobId, false);
    } catch (error) {
      if (isMissing(error)) return new Uint8Array(0);
      throw error;
    }
    const bytes = Buffer.allocUnsafe(length);
    let read = 0;
    while (read < length) {
      const count = this.#fs.readSync(fd, bytes, read, length - read, offset + read);
      if (count === 0) break;
      read += count;
    }
    return bytes.subarray(0, read);
  }

  /** Bytes in the file, 0 without one. */
  size(jobId: JobId): number {
    return this.#fs.statSync(this.#path(jobId), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Cuts the file to `length` bytes. */
  cut(jobId: JobId, length: number): void {
    this.#fs.ftruncateSync(this.#descriptor(jobId, true), length);
  }

  /** Removes the file; succeeds if there is none. */
  remove(jobId: JobId): void {
    this.#forget(jobId);
    try {
      this.#fs.unlinkSync(this.#path(jobId));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** The job ids, unchecked, that files are named for. */
  async names(): Promise<readonly string[]> {
    return this.#named(await readdir(this.#logsDir));
  }

  /** Removes the files of all jobs but those that `isOwned` knows; returns how many. */
  async removeOthers(isOwned: (jobId: JobId) => boolean): Promise<number> {
    let removed = 0;
    for (const name of await this.names()) {
      const jobId = toJobId(name);
      if (jobId === undefined || isOwned(jobId)) continue;
      orUnavailable('read its data', () => this.remove(jobId));
      removed += 1;
    }
    return removed;
  }

  /** As `names`, at once; throws the system's error. */
  namesNow(): readonly string[] {
    return this.#named(fs.readdirSync(this.#logsDir));
  }

  close(): void {
    for (const jobId of [...this.#open.keys()]) this.#forget(jobId);
  }

  #named(entries: readonly string[]): readonly string[] {
    return entries
      .filter((name) => name.endsWith(this.#suffix))
      .map((name) => name.slice(0, -this.#suffix.length));
  }

  #path(jobId: JobId): string {
    return join(this.#logsDir, `${jobId}${this.#suffix}`);
  }

  #descriptor(jobId: JobId, create: boolean): number {
    const held = this.#open.get(jobId);
    if (held !== undefined) {
      this.#open.delete(jobId);
      this.#open.set(jobId, held);
      return held;
    }
    const { O_RDWR, O_CREAT } = fs.constants;
    const flags = create ? O_RDWR | O_CREAT : O_RDWR;
    const fd = this.#fs.openSync(this.#path(jobId), flags, 0o600);
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN_FILES && oldest !== undefined) this.#forget(oldest);
    this.#open.set(jobId, fd);
    return fd;
  }

  #forget(jobId: JobId): void {
    const fd = this.#open.get(jobId);
    if (fd === undefined) return;
    this.#open.delete(jobId);
    this.#fs.closeSync(fd);
  }

  /** Only tidiness: bytes behind the index are overwritten by the next append or cut at the next open. */
  #cutQuietly(fd: number, length: number): void {
    try {
      this.#fs.ftruncateSync(fd, length);
    } catch {
      // The disk refuses more than the write; the caller reports that one.
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
