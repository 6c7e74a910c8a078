/** No source file has more than 400 lines. ESLint says so of TypeScript; this covers all the rest too. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectDir } from '../setup/places.mjs';

const MAX_LINES = 400;
const SOURCE = /\.(ts|tsx|mjs|cjs|js|css|sql)$/;
const NOT_OURS = new Set(['node_modules', 'out', 'dist', 'coverage', '.git']);

function* sourcesUnder(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!NOT_OURS.has(entry.name)) yield* sourcesUnder(path);
    } else if (SOURCE.test(entry.name)) yield path;
  }
}

let tooLong = 0;
for (const file of sourcesUnder(projectDir)) {
  const lines = readFileSync(file, 'utf8').split('\n').length - 1;
  if (lines <= MAX_LINES) continue;
  tooLong += 1;
  console.log(`${relative(projectDir, file)}: ${lines} lines, ${MAX_LINES} at most`);
}
process.exitCode = tooLong === 0 ? 0 : 1;
