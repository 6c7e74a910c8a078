import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJobFile } from '../../../main/cli/job-file.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function reading(text: string): Promise<string> {
  const path = join(tempDir(), 'job.yaml');
  await writeFile(path, text);
  return readJobFile(path).then(
    (job) => JSON.stringify(job),
    (error: unknown) => (error instanceof Error ? error.message.replace(path, 'FILE') : ''),
  );
}

test.each([
  ['name: a\nscript: |\n  b\n', /^\{"name":"a","script":"b\\n"\}$/],
  ['', /^FILE holds no job\. Write one field a line: name, agent_type, image, script$/],
  ['just text', /^FILE holds no job\./],
  ['- a', /^FILE holds no job\./],
  ['a: [', /^FILE is not YAML: .*line \d+/s],
  [`script: ${'x'.repeat(2 * 1024 * 1024)}`, /^FILE is larger than 2 MiB$/],
])('a job file is read, or refused with what is wrong with it (%#)', async (text, words) => {
  expect(await reading(text)).toMatch(words);
});

test('a missing file and a folder are named as such, without a code', async () => {
  const folder = tempDir();
  await expect(readJobFile(join(folder, 'none'))).rejects.toThrow(/none does not exist$/);
  await expect(readJobFile(folder)).rejects.toThrow(/is a folder, not a job file$/);
});
