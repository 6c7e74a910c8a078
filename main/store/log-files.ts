/**
 * One append-only file of chunk bodies a job, and the few of them that are kept open. Knows offsets
 * and bytes; which of them count is the index's business.
 */
import * as fs from 'node:fs';
import { readdir } from 'node:fs/promises';
import { jobLogFile } from '../data-dir.ts';
import type { JobId } from '../../runner-core/model/ids.ts';

/** What is used of the file system; a test gives one that is full. */
export type LogFileSystem = Pick<
  typeof fs,
  'openSync' | 'closeSync' | 'writeSync' | 'readSync' | 'ftruncateSync' | 'statSync' | 'unlinkSync'
>;

/** Far below the usual limit of 1,024 descriptors a process, far above the jobs held at once. */
const MAX_OPEN_FILES = 48;

export class LogFiles {
  readonly #logsDir: string;
  readonly #fs: LogFileSystem;
  /** In order of last use. */
  readonly #open = new Map<JobId, number>();

  constructor(logsDir: string, fileSystem: LogFileSystem = fs) {
    this.#logsDir = logsDir;
    this.#fs = fileSystem;
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
    return (
      this.#fs.statSync(jobLogFile(this.#logsDir, jobId), { throwIfNoEntry: false })?.size ?? 0
    );
  }

  /** Cuts the file to `length` bytes. */
  cut(jobId: JobId, length: number): void {
    this.#fs.ftruncateSync(this.#descriptor(jobId, true), length);
  }

  /** Removes the file; succeeds if there is none. */
  remove(jobId: JobId): void {
    this.#forget(jobId);
    try {
      this.#fs.unlinkSync(jobLogFile(this.#logsDir, jobId));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** The job ids, unchecked, that files are named for. */
  async names(): Promise<readonly string[]> {
    const entries = await readdir(this.#logsDir);
    return entries.filter((name) => name.endsWith('.log')).map((name) => name.slice(0, -4));
  }

  close(): void {
    for (const jobId of [...this.#open.keys()]) this.#forget(jobId);
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
    const fd = this.#fs.openSync(jobLogFile(this.#logsDir, jobId), flags, 0o600);
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
