/** Holds a data folder until it is killed. */
import { openDataDir } from '../../main/data-dir.ts';

const [dataDir] = process.argv.slice(2);
if (dataDir === undefined) throw new Error('usage: data-dir-child <data folder>');
openDataDir(dataDir);
// Nothing refers to the folder any more: it stays held all the same.
globalThis.gc?.();
await new Promise<void>((resolve) => void setImmediate(resolve));
globalThis.gc?.();
process.send?.('held');
// The channel keeps the process alive.
process.on('message', () => undefined);
