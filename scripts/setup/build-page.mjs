// @ts-check
/** Builds the page into out/page/. Owns how its failure is told; vite.config.ts owns how it is built. */
import { join } from 'node:path';
import { projectDir } from './places.mjs';
import { SetupError } from './say.mjs';

export const PAGE = 'page';
export const pageFile = join(projectDir, 'out', PAGE, 'index.html');

/**
 * @returns {Promise<void>}
 * @throws {SetupError} when it does not compile; Vite has then shown where
 */
export async function buildPage() {
  const { build } = await import('vite');
  try {
    await build({ configFile: join(projectDir, 'vite.config.ts'), logLevel: 'warn' });
  } catch (cause) {
    throw new SetupError('The page does not compile.', 'mend what is shown below.', { cause });
  }
}
