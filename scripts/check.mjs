// @ts-check
/** `npm run check [-- NAME…]`: everything that is checked without running the program. */
import { ensureDependencies } from './setup/ensure-dependencies.mjs';
import { runOnNode24 } from './setup/run-foreground.mjs';
import { SetupError, runEntry } from './setup/say.mjs';

const DEPCRUISE = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs';
const CODE_FOLDERS = [
  'runner-core',
  'main',
  'control-plane',
  'renderer',
  'electron',
  'scripts',
  'test',
];

/** One check: tools of node_modules (or scripts of ours) with their arguments; all have to succeed. */
const CHECKS = [
  {
    name: 'typecheck',
    tools: [
      ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
      ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.pure.json'],
      ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.web.json'],
    ],
  },
  { name: 'lint', tools: [['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0']] },
  { name: 'format', tools: [['node_modules/prettier/bin/prettier.cjs', '--check', '.']] },
  { name: 'imports', tools: [[DEPCRUISE, ...CODE_FOLDERS]] },
  { name: 'deadcode', tools: [['node_modules/knip/bin/knip.js', '--no-progress']] },
  { name: 'length', tools: [['scripts/check/file-length.ts']] },
];

await runEntry(async () => {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !CHECKS.some((check) => check.name === name));
  if (unknown !== undefined)
    throw new SetupError(
      `There is no check "${unknown}".`,
      `name one of ${CHECKS.map((check) => check.name).join(', ')}, or none for all.`,
    );
  await ensureDependencies();
  /** @type {string[]} */
  const failed = [];
  for (const { name, tools } of CHECKS) {
    if (names.length > 0 && !names.includes(name)) continue;
    const codes = [];
    for (const [script = '', ...args] of tools) codes.push(await runOnNode24(script, args));
    const ok = codes.every((code) => code === 0);
    if (!ok) failed.push(name);
    process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name}\n`);
  }
  return failed.length === 0 ? 0 : 1;
});
