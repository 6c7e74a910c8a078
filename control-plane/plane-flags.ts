/** Reads the plane's command line. */
import { parseArgs } from 'node:util';
import type { Behaviour } from './plane-parts.ts';
import { DEFAULT_CEILING, MAX_CONCURRENCY } from './pools.ts';

export interface PlaneFlags {
  readonly dataDir: string;
  readonly port: number;
  readonly host: string;
  readonly behaviour: Behaviour;
  /** Slots that the owner lets a new runner have, until the owner says otherwise. */
  readonly ceiling: number;
  /** End when standard input or the parent's channel closes, and on no signal: no plane outlives its host, nor ends before it. */
  readonly withParent: boolean;
}

export const USAGE =
  'usage: plane-main --data-dir DIR [--port N] [--host 127.0.0.1] [--behaviour hosted|improved] [--ceiling 2] [--with-parent]';

/** Throws an Error whose message names the flag. */
export function readFlags(args: readonly string[]): PlaneFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'data-dir': { type: 'string' },
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      behaviour: { type: 'string', default: 'improved' },
      ceiling: { type: 'string', default: String(DEFAULT_CEILING) },
      'with-parent': { type: 'boolean', default: false },
    },
  });
  const dataDir = values['data-dir'] ?? '';
  if (dataDir === '') throw new Error('--data-dir is missing');
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535) throw new Error('--port is no port number');
  const { host, behaviour } = values;
  if (behaviour !== 'hosted' && behaviour !== 'improved') {
    throw new Error('--behaviour is neither hosted nor improved');
  }
  const ceiling = Number(values.ceiling);
  if (!/^\d+$/.test(values.ceiling) || ceiling < 1 || ceiling > MAX_CONCURRENCY) {
    throw new Error(`--ceiling is not between 1 and ${MAX_CONCURRENCY}`);
  }
  return { dataDir, port, host, behaviour, ceiling, withParent: values['with-parent'] };
}
