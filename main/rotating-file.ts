/** A text file that is appended to, and put aside as `.1`, `.2` when it has grown or is old. */
import { open, rename, stat, unlink, type FileHandle } from 'node:fs/promises';

export interface RotationLimits {
  readonly maxBytes: number;
  /** Files in all, the current one included. */
  readonly files: number;
  /** A file is put aside once its first line is older. */
  readonly maxAgeMs: number;
  /** A file that was put aside is removed once its last line is older. */
  readonly keepMs: number;
}
const DAY_MS = 86_400_000;
const DEFAULT_LIMITS: RotationLimits = {
  maxBytes: 5 * 1024 * 1024,
  files: 3,
  maxAgeMs: 7 * DAY_MS,
  keepMs: 30 * DAY_MS,
};

/** One call at a time; the caller waits for the last before the next. */
export class RotatingFile {
  readonly #path: string;
  readonly #limits: RotationLimits;
  #handle: FileHandle | undefined;
  readonly #nowMs: () => number;
  #bytes = 0;
  #begunAtMs = 0;

  /** `nowMs` is epoch ms. */
  constructor(path: string, nowMs: () => number, limits: Partial<RotationLimits> = {}) {
    this.#path = path;
    this.#nowMs = nowMs;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** False where the disk refused; never rejects. The file is opened anew at the next call. */
  async append(text: string): Promise<boolean> {
    try {
      const bytes = Buffer.from(text, 'utf8');
      let handle = await this.#open();
      if (this.#bytes > 0 && (this.#isOld || this.#bytes + bytes.length > this.#limits.maxBytes)) {
        await this.#rotate();
        handle = await this.#open();
      }
      await handle.appendFile(bytes);
      this.#bytes += bytes.length;
      return true;
    } catch {
      await this.close();
      return false;
    }
  }

  /** Never rejects. */
  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle !== undefined) return this.#handle;
    const handle = await open(this.#path, 'a', 0o600);
    this.#handle = handle;
    const { size, birthtimeMs, mtimeMs } = await handle.stat();
    this.#bytes = size;
    // Some file systems keep no time of birth; the last change is then the nearest there is.
    this.#begunAtMs = size === 0 ? this.#nowMs() : Math.min(birthtimeMs || mtimeMs, mtimeMs);
    await this.#removeOld();
    return handle;
  }

  get #isOld(): boolean {
    return this.#nowMs() - this.#begunAtMs > this.#limits.maxAgeMs;
  }

  async #removeOld(): Promise<void> {
    for (let place = 1; place < this.#limits.files; place++) {
      const path = `${this.#path}.${place}`;
      const found = await stat(path).catch(() => null);
      if (found !== null && this.#nowMs() - found.mtimeMs > this.#limits.keepMs)
        await unlink(path).catch(ignoreMissing);
    }
  }

  async #rotate(): Promise<void> {
    await this.close();
    for (let place = this.#limits.files - 1; place > 0; place--) {
      const from = place === 1 ? this.#path : `${this.#path}.${place - 1}`;
      await rename(from, `${this.#path}.${place}`).catch(ignoreMissing);
    }
  }
}

function ignoreMissing(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
  throw error;
}
