/** `host:container[:ro|rw]` taken apart. The host part may carry a Windows drive letter. */

export interface BindMount {
  readonly source: string;
  readonly target: string;
  readonly mode: 'ro' | 'rw';
}

/** `C:\dir` or `C:/dir`, else anything without a colon. */
const BIND = /^([A-Za-z]:[\\/][^:]*|[^:]+):([^:]+)(?::(ro|rw))?$/i;

/** The parts, or undefined where `text` is no bind of two absolute paths. */
export function parseBind(text: string): BindMount | undefined {
  const [, source = '', target = '', mode = 'rw'] = BIND.exec(text.trim()) ?? [];
  const isAbsolute = source.startsWith('/') || /^[A-Za-z]:[\\/]|^\\\\/.test(source);
  if (!isAbsolute || !target.startsWith('/')) return undefined;
  return { source, target, mode: mode.toLowerCase() === 'ro' ? 'ro' : 'rw' };
}

/** The same path without doubled, trailing or `.`/`..` parts. */
export function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
