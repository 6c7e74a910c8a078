/** Files of jobs: read as YAML, and no more. The fields themselves are checked by the plane, which names what is wrong. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

const MAX_FILE_BYTES = 2 * 1024 * 1024;
const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder, not a job file',
  EACCES: 'may not be read by this user',
};

export class JobFileError extends Error {
  readonly code = 'job_file_unusable';
}

/** Reads a job file. The fields themselves are checked by the plane, which names what is wrong. */
export async function readJobFile(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new JobFileError(`${path} ${FILE_PROBLEMS[code] ?? `cannot be read (${code})`}`);
  }
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    throw new JobFileError(`${path} is larger than 2 MiB`);
  const job = parseYaml(path, text);
  if (typeof job !== 'object' || job === null || Array.isArray(job))
    throw new JobFileError(
      `${path} holds no job. Write one field a line: name, agent_type, image, script`,
    );
  return job;
}

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 20 });
  } catch (error) {
    const said = error instanceof Error ? error.message.trimEnd() : 'unreadable';
    throw new JobFileError(`${path} is not YAML: ${said}`);
  }
}
