/** A text file that is appended to, and put aside as `.1`, `.2` when it has grown. */
import { open, rename, type FileHandle } from 'node:fs/promises';

export interface RotationLimits {
  readonly maxBytes: number;
  /** Files in all, the current one included. */
  readonly files: number;
}
const DEFAULT_LIMITS: RotationLimits = { maxBytes: 5 * 1024 * 1024, files: 3 };

/** One call at a time; the caller waits for the last before the next. */
export class RotatingFile {
  readonly #path: string;
  readonly #limits: RotationLimits;
  #handle: FileHandle | undefined;
  #bytes = 0;

  constructor(path: string, limits: RotationLimits = DEFAULT_LIMITS) {
    this.#path = path;
    this.#limits = limits;
  }

  /** False where the disk refused; never rejects. The file is opened anew at the next call. */
  async append(text: string): Promise<boolean> {
    try {
      const bytes = Buffer.from(text, 'utf8');
      let handle = await this.#open();
      if (this.#bytes > 0 && this.#bytes + bytes.length > this.#limits.maxBytes) {
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
    this.#bytes = (await handle.stat()).size;
    return handle;
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
