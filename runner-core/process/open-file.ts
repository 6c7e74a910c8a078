/** Opens a file with the program its owner uses for such files. */
import { spawn } from 'node:child_process';

export interface FileOpener {
  readonly command: string;
  readonly args: readonly string[];
}

/** The command that opens files on this system. */
export function fileOpener(osName: NodeJS.Platform, path: string): FileOpener {
  if (osName === 'darwin') return { command: 'open', args: [path] };
  if (osName === 'win32') return { command: 'explorer.exe', args: [path] };
  return { command: 'xdg-open', args: [path] };
}

/**
 * Starts it and lets it go: on some desktops it lives as long as the window it opened. Resolves true once it was
 * started, false where there is no such program.
 */
export function openFile({ command, args }: FileOpener): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
