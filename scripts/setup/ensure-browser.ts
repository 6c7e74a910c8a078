/** Finds Chromium and a display for it; where there is none and this is Debian as root, brings them. */
import { existsSync } from 'node:fs';
import { installPackages, isOnPath, thisMachine } from './debian.ts';
import { SetupError } from './say.mjs';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Absolute. CHROMIUM_PATH names another. @throws SetupError when there is none */
export function chromiumPath(): string {
  const named = process.env['CHROMIUM_PATH'];
  const found = [...(named === undefined ? [] : [named]), ...CHROMIUM].find((path) =>
    existsSync(path),
  );
  if (found !== undefined) return found;
  throw new SetupError(
    'There is no Chromium on this machine.',
    'install it (Debian: apt-get install chromium), or name one in CHROMIUM_PATH.',
  );
}

/** @throws SetupError when Chromium or Xvfb is missing and cannot be installed here */
export async function ensureBrowser(): Promise<void> {
  const missing = [...(hasChromium() ? [] : ['chromium']), ...(isOnPath('Xvfb') ? [] : ['xvfb'])];
  if (missing.length === 0) return;
  const { debianLike, root } = thisMachine();
  if (!debianLike || !root)
    throw new SetupError(
      `The tests of page and desktop shell need ${missing.join(' and ')}.`,
      `install ${missing.length === 1 ? 'it' : 'them'} (Debian: apt-get install ${missing.join(' ')}), then run the same command again.`,
    );
  await installPackages(...missing);
  chromiumPath();
}

function hasChromium(): boolean {
  try {
    chromiumPath();
    return true;
  } catch {
    return false;
  }
}
