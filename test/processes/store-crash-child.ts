/** Appends numbered chunks to one job until it is killed, telling its parent of each that is stored. */
import { appendForever } from './store-crash-log.ts';

const [dataDir] = process.argv.slice(2);
if (dataDir === undefined) throw new Error('usage: store-crash-child <data folder>');
await appendForever(dataDir, (seq) => {
  return new Promise((resolve, reject) => {
    process.send?.({ stored: seq }, (error: Error | null) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
});
