/** A database from before configurations were sealed goes on, and what stood in it in plain text is gone. */
import Database from 'better-sqlite3';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openKeyFileBox } from '../../runner-core/sealing/key-file-box.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { planeUnderTest, SMALL_JOB, type Loose } from '../support/plane-under-test.ts';
import { tempDir } from '../support/temp-dir.ts';

const CANARY = 'canary-in-plain-text';
const CONFIGS = {
  agent_config: { image: SMALL_JOB['image'], api_key: CANARY },
  git_clone_config: { repositories: [{ repository_url: `https://x:${CANARY}@git.test/r` }] },
  // Long enough to lie on pages of its own, which are given back.
  custom_commands: { setup: Array.from({ length: 400 }, () => `export KEY=${CANARY}`) },
  allowed_mcp_tools: [{ name: 'tool', key: CANARY }],
};

/** Rewrites what is stored as the first version wrote it. */
async function asItWas(folder: string): Promise<void> {
  const box = await openKeyFileBox(join(folder, 'plane.key'));
  const database = new Database(join(folder, 'plane.db'));
  const rows = database
    .prepare<[], { id: string; body: string; sealed: Uint8Array }>('SELECT * FROM definition')
    .all();
  for (const { id, body, sealed } of rows) {
    const shown = Object.entries(JSON.parse(body) as Loose).filter(
      ([name]) => name !== 'image' && name !== 'pins_workspace',
    );
    const { script, env, prompt } = JSON.parse(box.open(sealed)) as Loose;
    database
      .prepare('UPDATE definition SET body = ?, sealed = ? WHERE id = ?')
      .run(
        JSON.stringify({ ...Object.fromEntries(shown), ...CONFIGS }),
        box.seal(JSON.stringify({ script, env, prompt })),
        id,
      );
  }
  const lease = database.prepare<[], { pending_job: string }>('SELECT * FROM assignment').get();
  const job = { ...(JSON.parse(lease?.pending_job ?? '{}') as Loose), ...CONFIGS };
  database.prepare('UPDATE assignment SET pending_job = ?').run(JSON.stringify(job));
  database.pragma('user_version = 1');
  database.close();
}

const stored = (folder: string): Promise<Buffer> => readFile(join(folder, 'plane.db'));

test('its jobs are listed and delivered whole, and none of its configurations stays readable', async () => {
  const dataDir = tempDir();
  const before = await planeUnderTest({ clock: new FakeClock(0), dataDir });
  const identity = await before.register();
  const execution = await before.submit({ ...SMALL_JOB, ...CONFIGS });
  await before.close();
  await asItWas(dataDir);
  expect((await stored(dataDir)).includes(CANARY)).toBe(true);

  const after = await planeUnderTest({ clock: new FakeClock(0), dataDir });
  expect(await after.execution(execution['id'])).toMatchObject({ image: SMALL_JOB['image'] });
  const runner = await after.connect(identity);
  expect(await runner.nextOf('hello')).toMatchObject({
    jobs: [{ execution_id: execution['id'], ...CONFIGS, launch: { script: SMALL_JOB['script'] } }],
  });
  await after.close();
  expect((await stored(dataDir)).includes(CANARY)).toBe(false);
});
