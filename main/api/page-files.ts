/** The files of the built page: which one a path names, and nothing outside their folder. */
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
};
/** The build gives these a name that changes with their content. */
const HASHED = /^\/assets\//;
const INDEX = '/index.html';
/** Names of letters, digits and few signs, none of them starting with a dot. */
const SAFE_PATH = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;

export interface PageFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly type: string;
  readonly cacheControl: string;
}

export type FoundFile =
  | { readonly kind: 'file'; readonly file: PageFile }
  | { readonly kind: 'absent' }
  /** There is no page at all. */
  | { readonly kind: 'not_built' };

/** The file for the path of an address, still encoded. The caller closes its handle. */
export async function openPageFile(pageDir: string, path: string): Promise<FoundFile> {
  const name = path === '/' ? INDEX : path;
  if (!SAFE_PATH.test(name)) return { kind: 'absent' };
  const type = TYPES[extname(name)];
  const handle = type === undefined ? null : await openInside(pageDir, name);
  if (handle === null || type === undefined)
    return name === INDEX ? { kind: 'not_built' } : { kind: 'absent' };
  const found = await handle.stat();
  if (!found.isFile()) {
    await handle.close();
    return { kind: 'absent' };
  }
  const cacheControl = HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-store';
  return { kind: 'file', file: { handle, size: found.size, type, cacheControl } };
}

/** Null for what is not there, and for a link that leads out of the folder. */
async function openInside(pageDir: string, name: string): Promise<FileHandle | null> {
  try {
    const [root, path] = await Promise.all([realpath(pageDir), realpath(join(pageDir, name))]);
    return path.startsWith(root + sep) ? await open(path, 'r') : null;
  } catch {
    return null;
  }
}
