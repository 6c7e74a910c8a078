/** The import rules themselves: each catches what it is there for, and none guards an empty room. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { projectDir } from '../../scripts/setup/places.mjs';

const patterns = z.union([z.string(), z.array(z.string())]).optional();
const side = z.object({ path: patterns, pathNot: patterns });
const configSchema = z.object({
  forbidden: z.array(z.object({ name: z.string(), from: side, to: side })),
});
const configFile = join(projectDir, '.dependency-cruiser.cjs');
const rules = configSchema.parse(createRequire(import.meta.url)(configFile)).forbidden;

const resultSchema = z.object({
  modules: z.array(
    z.object({ source: z.string(), dependencies: z.array(z.object({ resolved: z.string() })) }),
  ),
  summary: z.object({
    violations: z.array(z.object({ from: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

/** Each rule's violation: a file, and what it imports against the rule. */
const PLANTS: Readonly<Record<string, readonly [file: string, imported: string]>> = {
  'model-and-wire-are-leaves': ['runner-core/wire/a.ts', '../system.ts'],
  'model-and-wire-without-node': ['runner-core/model/b.ts', 'node:fs'],
  'core-knows-nobody': ['runner-core/c.ts', '../main/host.ts'],
  'plane-stands-alone': ['control-plane/d.ts', '../runner-core/docker/labels.ts'],
  'listener-sees-only-the-protocol': ['runner-core/listener/e.ts', '../worker/job.ts'],
  'worker-knows-no-listener': ['runner-core/worker/f.ts', '../listener/job-run.ts'],
  'log-format-has-few-readers': ['main/services/g.ts', '../../runner-core/log/codec.ts'],
  'main-knows-the-core': ['main/h.ts', '../control-plane/queue.ts'],
  'contract-is-pure': ['main/contract/i.ts', '../host.ts'],
  'contract-without-node': ['main/contract/j.ts', 'node:path'],
  'page-sees-the-contract': ['renderer/k.ts', '../main/host.ts'],
  'page-without-node': ['renderer/l.ts', 'node:os'],
  'shell-wraps-main': ['electron/m.ts', '../renderer/app.ts'],
  'preload-is-tiny': ['electron/preload.ts', './tray.ts'],
  'features-are-strangers': ['renderer/features/jobs/n.ts', '../recovery/list.ts'],
  'components-are-dumb': ['renderer/components/o.ts', '../stores/job-store.ts'],
  'electron-at-home': ['main/p.ts', 'electron'],
  'dockerode-at-home': ['runner-core/worker/q.ts', 'dockerode'],
  'sqlite-at-home': ['main/services/r.ts', 'better-sqlite3'],
  'ws-at-home': ['main/s.ts', 'ws'],
  'processes-at-home': ['main/services/t.ts', 'node:child_process'],
  'nothing-imports-tests': ['scripts/u.ts', '../test/support/fake.ts'],
  'product-needs-no-dev-package': ['main/v.ts', 'vitest'],
  'no-cycles': ['main/w.ts', './w.ts'],
  'nothing-unresolved': ['main/x.ts', './nowhere.ts'],
};

/** What the rules leave open, where a rule written too wide would forbid it. */
const ALLOWED: readonly (readonly [file: string, imported: string])[] = [
  ['control-plane/ok-sealing.ts', '../runner-core/sealing/box.ts'],
  ['control-plane/ok-ports.ts', '../runner-core/ports.ts'],
  ['control-plane/ok-sqlite.ts', 'better-sqlite3'],
  ['runner-core/listener/ok-protocol.ts', '../worker/protocol.ts'],
  ['runner-core/listener/ok-log.ts', '../log/codec.ts'],
  ['runner-core/worker/ok-log.ts', '../log/codec.ts'],
  ['runner-core/docker/ok-dockerode.ts', 'dockerode'],
  ['main/store/ok-log.ts', '../../runner-core/log/codec.ts'],
  ['main/workers/ok-fork.ts', 'node:child_process'],
  ['test/ok-anything.ts', '../runner-core/docker/labels.ts'],
];

test('every rule fires on its planted violation and on nothing that is allowed', async () => {
  expect(Object.keys(PLANTS).sort()).toEqual(rules.map(({ name }) => name).sort());
  const tree = await plantedTree();
  try {
    const { summary } = await cruise(tree, [
      'runner-core',
      'main',
      'control-plane',
      'scripts',
      'test',
      'renderer',
      'electron',
    ]);
    const fired = (file: string): string[] =>
      summary.violations.filter(({ from }) => from === file).map(({ rule }) => rule.name);

    const silent = Object.entries(PLANTS).filter(([name, [file]]) => !fired(file).includes(name));
    expect(silent).toEqual([]);
    expect(ALLOWED.filter(([file]) => fired(file).length > 0)).toEqual([]);
  } finally {
    await rm(tree, { recursive: true });
  }
}, 60_000);

test('every rule finds files of this project that it guards, and the packages it speaks of', async () => {
  const { modules } = await cruise(projectDir, [
    'runner-core',
    'main',
    'control-plane',
    'renderer',
    'electron',
    'scripts',
  ]);
  const files = modules.map(({ source }) => source);
  const imported = modules.flatMap(({ dependencies }) => dependencies.map((d) => d.resolved));
  const empty = rules.flatMap(({ name, from, to }) => {
    const guards = files.filter((file) => applies(from, file)).length > 0;
    const speaksOfPackage = asList(to.path).some((path) => /node_modules|child_process/.test(path));
    const meets = !speaksOfPackage || imported.some((target) => applies(to, target));
    return guards && meets ? [] : [name];
  });
  expect(empty).toEqual([]);
}, 60_000);

async function plantedTree(): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'import-rules-'));
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(join(tree, file)), { recursive: true });
    await writeFile(join(tree, file), text);
  };
  const product = ['electron', 'dockerode', 'better-sqlite3', 'ws'];
  const versions = (names: readonly string[]): object =>
    Object.fromEntries(names.map((name) => [name, '1.0.0']));
  await write(
    'package.json',
    JSON.stringify({
      type: 'module',
      dependencies: versions(product),
      devDependencies: versions(['vitest']),
    }),
  );
  await write('tsconfig.json', '{ "compilerOptions": { "module": "NodeNext" } }');
  for (const name of [...product, 'vitest']) {
    await write(
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version: '1.0.0', main: 'index.js' }),
    );
    await write(`node_modules/${name}/index.js`, 'module.exports = {};');
  }
  for (const [file, imported] of [...Object.values(PLANTS), ...ALLOWED]) {
    // A type-only import has to count as well: half of the plants are such.
    const kind = file.length % 2 === 0 ? 'import type' : 'import';
    await write(file, `${kind} * as x from '${imported}';\nexport type Y = typeof x;\n`);
    const target = join(dirname(file), imported);
    if (imported.startsWith('.') && !imported.includes('nowhere') && target !== file)
      await write(target, 'export const a = 1;\n');
  }
  return tree;
}

async function cruise(
  cwd: string,
  folders: readonly string[],
): Promise<z.infer<typeof resultSchema>> {
  const cli = join(projectDir, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const args = [cli, '--config', configFile, '--output-type', 'json', ...folders];
  const { stdout } = await execa(process.execPath, args, { cwd, reject: false });
  return resultSchema.parse(JSON.parse(stdout));
}

function applies({ path, pathNot }: z.infer<typeof side>, file: string): boolean {
  const matches = (given: z.infer<typeof patterns>): boolean =>
    asList(given).some((pattern) => new RegExp(pattern).test(file));
  return (path === undefined || matches(path)) && !matches(pathNot);
}

function asList(given: z.infer<typeof patterns>): readonly string[] {
  return given === undefined ? [] : [given].flat();
}
