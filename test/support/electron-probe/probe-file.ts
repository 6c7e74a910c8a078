/** The probe as one file that Electron reads by `-r`. */
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

/** @param outfile absolute; CommonJS, so `.cjs` */
export async function writeProbe(outfile: string): Promise<string> {
  await build({
    entryPoints: [fileURLToPath(new URL('./probe.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    external: ['electron'],
  });
  return outfile;
}
