/**
 * Opens the page in the owner's browser. The sign-in address goes there through a file that only the owner can
 * read: what is on a command line, everybody on the machine can see.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileOpener, openFile } from '../runner-core/process/open-file.ts';
import { replaceFile } from './atomic-file.ts';

const FILE = 'open-page.html';

/** Whether somebody could see a browser open. */
export function hasDesktop(
  osName: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const has = (name: string): boolean => (environment[name] ?? '') !== '';
  if (has('CI') || has('SSH_CONNECTION')) return false;
  return osName === 'darwin' || osName === 'win32' || has('DISPLAY') || has('WAYLAND_DISPLAY');
}

/** False where no program to open it was found. Throws the system's error for a folder that takes no file. */
export async function openPage(
  url: string,
  dataDir: string,
  osName: NodeJS.Platform,
): Promise<boolean> {
  const path = join(dataDir, FILE);
  replaceFile(path, redirect(url), 0o600);
  const target = osName === 'win32' ? path : pathToFileURL(path).href;
  return openFile(fileOpener(osName, target));
}

function redirect(url: string): string {
  const safe = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${safe}">
<title>Preloop Runner Host</title>
<p><a href="${safe}">Open Preloop Runner Host</a></p>
`;
}
