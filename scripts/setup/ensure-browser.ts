/** Finds Chromium and a display for it; where there is none and this is Debian as root, brings them. */
import { existsSync } from 'node:fs';
import { installPackages, isOnPath, thisMachine } from './debian.ts';
import { SetupError, say } from './say.mjs';

/** The same engine without a window's own parts: tests take two thirds of the time with it. Debian's name and place. */
const WINDOWLESS = '/usr/bin/chromium-headless-shell';
const WINDOWLESS_PACKAGE = 'chromium-headless-shell';
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

/** Absolute: for pages that nobody looks at. @throws SetupError when there is no Chromium at all */
export function windowlessChromiumPath(): string {
  return process.env['CHROMIUM_PATH'] === undefined && existsSync(WINDOWLESS)
    ? WINDOWLESS
    : chromiumPath();
}

/** @throws SetupError when Chromium or Xvfb is missing and cannot be installed here */
export async function ensureBrowser(): Promise<void> {
  const missing = [...(hasChromium() ? [] : ['chromium']), ...(isOnPath('Xvfb') ? [] : ['xvfb'])];
  const { debianLike, root } = thisMachine();
  if (debianLike && root) await bringWindowless();
  if (missing.length === 0) return;
  if (!debianLike || !root)
    throw new SetupError(
      `The tests of page and desktop shell need ${missing.join(' and ')}.`,
      `install ${missing.length === 1 ? 'it' : 'them'} (Debian: apt-get install ${missing.join(' ')}), then run the same command again.`,
    );
  await installPackages(...missing);
  chromiumPath();
}

/** Not needed, only faster: a Debian without this package does well with Chromium alone. */
async function bringWindowless(): Promise<void> {
  if (existsSync(WINDOWLESS)) return;
  await installPackages(WINDOWLESS_PACKAGE).catch((error: unknown) => {
    if (!(error instanceof SetupError)) throw error;
    say(`${WINDOWLESS_PACKAGE} cannot be had here; the tests do without it.`);
  });
}

function hasChromium(): boolean {
  try {
    chromiumPath();
    return true;
  } catch {
    return false;
  }
}
