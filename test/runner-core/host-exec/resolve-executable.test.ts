import { describe, expect, test } from 'vitest';
import {
  unwrappedShim,
  windowsCommandProblem,
  windowsQuoted,
} from '../../../runner-core/host-exec/npm-shim.ts';
import {
  resolveExecutable,
  searchedDirectories,
  type ExecutableFiles,
  type FileFacts,
} from '../../../runner-core/host-exec/resolve-executable.ts';
import type { HostPlatform } from '../../../runner-core/model/host-profile.ts';

interface FakeFile {
  readonly link?: string;
  readonly mode?: number;
  readonly kind?: FileFacts['kind'];
  readonly text?: string;
  readonly mayExecute?: boolean;
}

/** A disk of a few files by their full path. */
class FakeExecutableFiles implements ExecutableFiles {
  readonly #files: Readonly<Record<string, FakeFile>>;
  readonly #folders: Readonly<Record<string, readonly string[]>>;
  constructor(
    files: Readonly<Record<string, FakeFile>>,
    folders: Readonly<Record<string, readonly string[]>> = {},
  ) {
    this.#files = files;
    this.#folders = folders;
  }
  stat(path: string): Promise<FileFacts | null> {
    const file = this.#files[path];
    if (file === undefined) return Promise.resolve(null);
    const { kind = 'file', mode = 0o755, text = '' } = file;
    return Promise.resolve({ kind, mode, uid: 1000, sizeBytes: text.length });
  }
  realPath(path: string): Promise<string | null> {
    const file = this.#files[path];
    return Promise.resolve(file === undefined ? null : (file.link ?? path));
  }
  readText(path: string): Promise<string | null> {
    return Promise.resolve(this.#files[path]?.text ?? null);
  }
  list(path: string): Promise<readonly string[]> {
    return Promise.resolve(this.#folders[path] ?? []);
  }
  mayExecute(path: string): Promise<boolean> {
    return Promise.resolve(this.#files[path]?.mayExecute ?? true);
  }
}

const ENV = { PATH: '/usr/bin:/opt/bin', HOME: '/home/o' };
const find = (
  executable: string,
  files: Readonly<Record<string, FakeFile>>,
  { platform = 'linux', env = ENV }: { platform?: HostPlatform; env?: Record<string, string> } = {},
) => resolveExecutable(executable, { platform, env, files: new FakeExecutableFiles(files) });

describe('on Linux and macOS', () => {
  test('the spelling of the profile is tried first, then Cursor’s other names', async () => {
    const both = { '/usr/bin/cursor-agent': {}, '/opt/bin/agent': {} };
    expect(await find('agent', both)).toMatchObject({ path: '/opt/bin/agent' });
    expect(await find('cursor-agent', both)).toMatchObject({ path: '/usr/bin/cursor-agent' });
    expect(await find('agent', { '/usr/bin/cursor-agent': {} })).toMatchObject({
      path: '/usr/bin/cursor-agent',
    });
  });

  test('PATH comes before the owner’s folders, and relative entries of it are passed over', async () => {
    const files = { '/home/o/.local/bin/agent': {}, '/opt/bin/agent': {}, 'bin/agent': {} };
    expect(await find('agent', files)).toMatchObject({ path: '/opt/bin/agent' });
    expect(await find('agent', files, { env: { PATH: 'bin::.', HOME: '/home/o' } })).toMatchObject({
      path: '/home/o/.local/bin/agent',
    });
  });

  test('the folders are searched in their order, nvm’s newest Node first', async () => {
    const files = new FakeExecutableFiles(
      {},
      { '/home/o/.nvm/versions/node': ['v9.1.0', 'v22.3.0', 'v18.0.0'] },
    );
    expect(
      await searchedDirectories({ platform: 'darwin', env: { HOME: '/home/o' }, files }),
    ).toEqual([
      ...['/home/o/.local/bin', '/home/o/.npm-global/bin', '/home/o/.openclaw/bin'],
      ...['/home/o/.copilot/bin', '/home/o/Library/pnpm'],
      ...['/home/o/.nvm/versions/node/v22.3.0/bin', '/home/o/.nvm/versions/node/v18.0.0/bin'],
      ...['/home/o/.nvm/versions/node/v9.1.0/bin', '/opt/homebrew/bin', '/usr/local/bin'],
    ]);
  });

  test('a link is followed, and both folders are told for the search path', async () => {
    const files = { '/opt/x/cursor-agent': { link: '/opt/v2/index.js' }, '/opt/v2/index.js': {} };
    expect(await find('/opt/x/cursor-agent', files)).toEqual({
      kind: 'resolved',
      path: '/opt/v2/index.js',
      prefix: [],
      isBatch: false,
      found: '/opt/x/cursor-agent',
      directories: ['/opt/v2', '/opt/x'],
    });
  });

  test.each<[string, string, Record<string, FakeFile>, string]>([
    ['nothing', 'cursor-agent', {}, 'missing'],
    ['nothing at a full path', '/opt/agent', {}, 'missing'],
    ['a folder', '/opt/agent', { '/opt/agent': { kind: 'directory' } }, 'not_executable'],
    ['no execute bit', '/opt/agent', { '/opt/agent': { mode: 0o644 } }, 'not_executable'],
    [
      'no right of this user',
      '/opt/agent',
      { '/opt/agent': { mayExecute: false } },
      'not_executable',
    ],
    ['no execute bit in PATH', 'agent', { '/opt/bin/agent': { mode: 0o644 } }, 'not_executable'],
    ['a relative path', 'bin/agent', { 'bin/agent': {} }, 'relative'],
  ])('%s is a problem with its code', async (_name, executable, files, code) => {
    expect(await find(executable, files)).toMatchObject({ kind: 'problem', code });
  });

  test('a file that may not be executed does not hide one that may', async () => {
    const files = { '/usr/bin/agent': { mode: 0o644 }, '/opt/bin/agent': {} };
    expect(await find('agent', files)).toMatchObject({ path: '/opt/bin/agent' });
  });

  test('what is missing names where it was looked for', async () => {
    expect(await find('agent', {})).toMatchObject({
      detail: expect.stringContaining('/usr/bin, /opt/bin') as string,
    });
  });
});

describe('on Windows', () => {
  const windows = {
    platform: 'win32',
    env: { Path: 'C:\\bin', APPDATA: 'C:\\A', USERPROFILE: 'C:\\U' },
  } as const;
  const shim = `@ECHO off\r\n"%_prog%"  --no-warnings "%dp0%\\node_modules\\cursor\\cli.js" %*\r\n`;

  test('the four extensions are tried in order, in PATH and in the owner’s folders', async () => {
    expect(
      await find('agent', { 'C:\\bin\\agent.cmd': {}, 'C:\\bin\\agent.exe': {} }, windows),
    ).toMatchObject({
      path: 'C:\\bin\\agent.exe',
      isBatch: false,
    });
    expect(await find('agent', { 'C:\\U\\.local\\bin\\agent.com': {} }, windows)).toMatchObject({
      path: 'C:\\U\\.local\\bin\\agent.com',
    });
  });

  test('another extension is unsupported, and a drive without a separator is relative', async () => {
    const files = { 'C:\\bin\\agent.ps1': {}, 'C:agent.cmd': {} };
    expect(await find('C:\\bin\\agent.ps1', files, windows)).toMatchObject({ code: 'unsupported' });
    expect(await find('C:agent.cmd', files, windows)).toMatchObject({ code: 'relative' });
  });

  test('an npm shim is seen through to the Node beside it, else to one that is found', async () => {
    const files = { 'C:\\A\\npm\\agent.cmd': { text: shim }, 'C:\\bin\\node.exe': {} };
    const script = 'C:\\A\\npm\\node_modules\\cursor\\cli.js';
    expect(await find('agent', files, windows)).toMatchObject({
      path: 'C:\\bin\\node.exe',
      prefix: ['--no-warnings', script],
      isBatch: false,
      found: 'C:\\A\\npm\\agent.cmd',
    });
    expect(await find('agent', { ...files, 'C:\\A\\npm\\node.exe': {} }, windows)).toMatchObject({
      path: 'C:\\A\\npm\\node.exe',
    });
  });

  test('a batch file of another shape, or too large, is started as it is', async () => {
    for (const text of [
      '@echo hello',
      shim + ' '.repeat(65_536),
      shim.replace('--no-warnings', '-$x'),
    ])
      expect(
        await find('agent', { 'C:\\bin\\agent.cmd': { text }, 'C:\\bin\\node.exe': {} }, windows),
      ).toMatchObject({
        path: 'C:\\bin\\agent.cmd',
        isBatch: true,
      });
    expect(unwrappedShim(shim, 'C:\\A')).toMatchObject({ flags: ['--no-warnings'] });
  });

  test.each(Array.from('"%\r\n&|<>^!'))(
    'a batch file is given no argument with %j',
    (character) => {
      expect(windowsCommandProblem('C:\\a.cmd', [`x${character}`], true)).toBe(
        'batch_argument_unsafe',
      );
      expect(windowsCommandProblem('C:\\a.exe', [`x${character}`], false)).toBeUndefined();
    },
  );

  test('a command line is at most 8,000 units for a batch file and 30,000 for others, quotes counted', () => {
    const filled = (units: number): string[] => ['x'.repeat(units - 'C:\\a.cmd '.length)];
    expect(windowsCommandProblem('C:\\a.cmd', filled(8_000), true)).toBeUndefined();
    expect(windowsCommandProblem('C:\\a.cmd', filled(8_001), true)).toBe('command_too_long');
    expect(windowsCommandProblem('C:\\a.exe', filled(30_000), false)).toBeUndefined();
    expect(windowsCommandProblem('C:\\a.exe', filled(30_001), false)).toBe('command_too_long');
    expect(windowsCommandProblem('C:\\a.exe', ['"'.repeat(15_000)], false)).toBe(
      'command_too_long',
    );
  });

  test.each([
    ['', '""'],
    ['a b', '"a b"'],
    ['a"b', '"a\\"b"'],
    ['a\\b', 'a\\b'],
    ['a b\\', '"a b\\\\"'],
    ['a\\"b', '"a\\\\\\"b"'],
  ])('the argument %j is quoted as %s', (argument, quoted) => {
    expect(windowsQuoted(argument)).toBe(quoted);
  });
});
