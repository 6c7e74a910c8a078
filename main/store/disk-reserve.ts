/**
 * Room on the disk that is set aside while there is some, and given up in steps when there is none: what must
 * be stored (a verdict, a state) then still finds a place. Log bodies never use it.
 */
import * as fs from 'node:fs';
import { StoreUnavailableError } from '../../runner-core/model/errors.ts';

export const RESERVE_BYTES = 4 * 2 ** 20;
/** Enough for a commit and the checkpoint after it. */
export const RELEASE_STEP_BYTES = 256 * 1024;
/** Filled only where as much again stays free, or the reserve itself would fill the disk. */
const ROOM_BESIDE_BYTES = 4 * 2 ** 20;
const PIECE_BYTES = 256 * 1024;

/** No room: on the disk, in the owner's quota, or for the database's own files. */
const FULL_CODES: ReadonlySet<string> = new Set([
  'SQLITE_FULL',
  'SQLITE_IOERR_SHMSIZE',
  'ENOSPC',
  'EDQUOT',
]);

export function isDiskFull(error: unknown): boolean {
  return error instanceof StoreUnavailableError && FULL_CODES.has(error.facts.systemCode);
}

export class DiskReserve {
  readonly #path: string;
  readonly #folder: string;
  #isShort = true;
  #whenFull: () => void = () => undefined;

  /** Nothing is touched before `fill`. */
  constructor(path: string, folder: string) {
    this.#path = path;
    this.#folder = folder;
  }

  /** The disk was full and the reserve has not been filled since: bodies of logs are left out. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** Called when the disk was found full; the last one given counts. */
  onFull(tell: () => void): void {
    this.#whenFull = tell;
  }

  /** The disk refused: from now on only what must be stored is. */
  noteFull(): void {
    if (this.#isShort) return;
    this.#isShort = true;
    this.#whenFull();
  }

  /** Makes the reserve whole where there is room for it and more; true when it is. Never throws. */
  fill(): boolean {
    try {
      const held = this.#held();
      const { bavail, bsize } = fs.statfsSync(this.#folder);
      const missing = RESERVE_BYTES - held;
      const room = held > 0 && missing <= 0 ? RELEASE_STEP_BYTES : missing + ROOM_BESIDE_BYTES;
      if (bavail * bsize < room) return false;
      this.#write(held);
      this.#isShort = false;
      return true;
    } catch {
      return false;
    }
  }

  /** Gives up a step of the reserve; false when nothing is left of it. */
  release(): boolean {
    this.noteFull();
    try {
      const held = this.#held();
      if (held === 0) return false;
      fs.truncateSync(this.#path, Math.max(0, held - RELEASE_STEP_BYTES));
      return true;
    } catch {
      return false;
    }
  }

  #held(): number {
    return fs.statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** No zeros: a file system may keep those without taking room for them. */
  #write(from: number): void {
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let at = 0; at < piece.length; at += 4)
      piece.writeUInt32LE(Math.imul(at + 1, 2_654_435_761) >>> 0, at);
    const { O_RDWR, O_CREAT } = fs.constants;
    const fd = fs.openSync(this.#path, O_RDWR | O_CREAT, 0o600);
    try {
      for (let at = from; at < RESERVE_BYTES;) {
        const length = Math.min(PIECE_BYTES, RESERVE_BYTES - at);
        at += fs.writeSync(fd, piece, 0, length, at);
      }
    } finally {
      fs.closeSync(fd);
    }
  }
}
