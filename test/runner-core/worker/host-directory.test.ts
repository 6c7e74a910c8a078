/** Where a job's directory may be: in folders that nobody else can change. */
import { chmod, chown, lstat, mkdir, readdir, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startReason } from '../../../runner-core/host-exec/verdict.ts';
import { reasonText } from '../../../runner-core/model/reason-text.ts';
import {
  HOST_PARENT,
  makeDirectory,
  planDirectory,
} from '../../../runner-core/worker/host-directory.ts';
import { tempDir } from '../../support/temp-dir.ts';

const JOB_ID = '0f0f0f0f-0000-4000-8000-0000000000e1';
const WHO = process.getuid?.() ?? -1;
/** Neither the one who tests, nor the one whom `giveAway` gives to. */
const SOMEBODY = { uid: 54_321, platform: 'linux' } as const;

async function bench() {
  const root = await realpath(tempDir());
  await chmod(root, 0o700);
  const parent = join(root, HOST_PARENT);
  const request = { workspaceRoot: root, ownRoot: join(root, 'own'), jobId: JOB_ID };
  return { root, parent, request };
}

/** To another than root, whom everybody trusts; who is not root is another already. */
async function giveAway(path: string): Promise<void> {
  if (WHO === 0) await chown(path, 12_345, 12_345);
}

test('a directory is made in folders of ours, for us alone', async () => {
  const { root, parent, request } = await bench();
  const plan = await planDirectory(request);
  if (plan.kind === 'problem') throw new Error(plan.problem.code);
  expect(await makeDirectory(plan)).toBeNull();
  for (const made of [parent, join(parent, JOB_ID)])
    expect((await lstat(made)).mode & 0o777).toBe(0o700);
  expect(await readdir(root)).toEqual([HOST_PARENT]);
});

test.for([
  ['the workspace folder', 0o770],
  ['the workspace folder', 0o707],
  ['the folder of jobs', 0o770],
  ['the folder of jobs', 0o707],
  ['the folder of jobs', 0o1777],
] as const)('%s with mode %o is refused, with its remedy', async ([which, mode]) => {
  const { root, parent, request } = await bench();
  await mkdir(parent, { mode: 0o700 });
  await chmod(which === 'the folder of jobs' ? parent : root, mode);
  const plan = await planDirectory(request);
  if (plan.kind === 'planned') throw new Error('it was planned');
  expect(plan.problem).toMatchObject({ step: 'directory', code: 'workspace_writable_by_others' });
  const why = startReason(plan.problem);
  expect(why.code).toBe('host_exec_directory_failed');
  expect(reasonText(why).what).toMatch(/may write the .*chmod go-w\.$/);
  expect(await readdir(parent)).toEqual([]);
});

test('a workspace folder like /tmp may be used: there nobody touches what another made', async () => {
  const { root, request } = await bench();
  await chmod(root, 0o1777);
  expect(await planDirectory(request)).toMatchObject({ kind: 'planned' });
});

test.for(['the workspace folder', 'the folder of jobs'])(
  '%s of another user is refused, with its remedy',
  async (which) => {
    const { root, parent, request } = await bench();
    await mkdir(parent, { mode: 0o700 });
    await giveAway(which === 'the folder of jobs' ? parent : root);
    const plan = await planDirectory({ ...request, owner: SOMEBODY });
    if (plan.kind === 'planned') throw new Error('it was planned');
    expect(plan.problem).toMatchObject({ step: 'directory', code: 'workspace_foreign_owner' });
    expect(plan.problem.detail).toContain('belongs to another user');
    expect(reasonText(startReason(plan.problem)).what).toContain('with chown');
  },
);

test.for(['the workspace folder', 'the folder of jobs'])(
  'rights of %s that were given away after the plan are seen before the directory is made',
  async (which) => {
    const { root, parent, request } = await bench();
    await mkdir(parent, { mode: 0o700 });
    const plan = await planDirectory(request);
    if (plan.kind === 'problem') throw new Error(plan.problem.code);
    await chmod(which === 'the folder of jobs' ? parent : root, 0o770);
    expect(await makeDirectory(plan)).toMatchObject({ code: 'workspace_writable_by_others' });
    expect(await readdir(parent)).toEqual([]);
  },
);

test('a folder of jobs that became a link after the plan is refused', async () => {
  const { root, parent, request } = await bench();
  const plan = await planDirectory(request);
  if (plan.kind === 'problem') throw new Error(plan.problem.code);
  const elsewhere = join(root, 'elsewhere');
  await mkdir(elsewhere, { mode: 0o700 });
  await symlink(elsewhere, parent);
  expect(await makeDirectory(plan)).toMatchObject({ code: 'ENOTDIR' });
  expect(await readdir(elsewhere)).toEqual([]);
});
