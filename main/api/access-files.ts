/** Where the `preloop-host` command finds a running host and what it shows there: two files of the data folder. */
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../atomic-file.ts';

export const ACCESS_FILES = { address: 'api-address', token: 'cli-token' } as const;

/** Mode 0600, made anew at each start. The token first: an address without its token would be tried in vain. */
export function writeAccessFiles(dataDir: string, origin: string, token: string): void {
  replaceFile(join(dataDir, ACCESS_FILES.token), `${token}\n`, 0o600);
  replaceFile(join(dataDir, ACCESS_FILES.address), `${origin}\n`, 0o600);
}

/** No host runs any more. After a crash they stay, and lead to nobody. */
export async function removeAccessFiles(dataDir: string): Promise<void> {
  for (const name of [ACCESS_FILES.address, ACCESS_FILES.token])
    await unlink(join(dataDir, name)).catch(() => undefined);
}
