/**
 * `npm run icons`: draws the images that the desktop shell and the packages need from the pictures in
 * resources/icons. The results are kept in the repository, so only who changes a picture runs it.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { TRAY_STATES } from '../electron/tray-view.ts';
import { trayIconFile } from '../electron/tray-icon.ts';
import { chromiumPath } from './setup/ensure-browser.ts';
import { projectDir } from './setup/places.mjs';

const TRAY_PX = 16;
const APP_PX = 1024;
/** Of the pictures' own black. */
const INK = { template: '#000000', light: '#ffffff', dark: '#000000' } as const;

const resources = join(projectDir, 'resources');
const picture = (name: string): Promise<string> =>
  readFile(join(resources, 'icons', `${name}.svg`), 'utf8');

async function draw(browser: Browser, svg: string, px: number, scale: number): Promise<Buffer> {
  const page = await browser.newPage({
    viewport: { width: px, height: px },
    deviceScaleFactor: scale,
  });
  try {
    await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`);
    return await page.screenshot({ omitBackground: true });
  } finally {
    await page.close();
  }
}

const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: ['--no-sandbox', '--force-color-profile=srgb'],
});
try {
  await mkdir(join(resources, 'tray'), { recursive: true });
  for (const state of TRAY_STATES) {
    const black = await picture(`tray-${state}`);
    for (const shade of ['template', 'light', 'dark'] as const) {
      const svg = black.replaceAll('#000', INK[shade]);
      for (const scale of [1, 2]) {
        const name = trayIconFile(state, shade);
        const file = scale === 1 ? name : name.replace(/\.png$/, '@2x.png');
        await writeFile(join(resources, 'tray', file), await draw(browser, svg, TRAY_PX, scale));
      }
    }
  }
  await writeFile(
    join(resources, 'icon.png'),
    await draw(browser, await picture('app-icon'), APP_PX, 1),
  );
} finally {
  await browser.close();
}
