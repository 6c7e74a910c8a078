/** Reads the plane's command line. */
import { parseArgs } from 'node:util';
import type { Behaviour } from './plane-parts.ts';

export interface PlaneFlags {
  readonly dataDir: string;
  readonly port: number;
  readonly host: string;
  readonly behaviour: Behaviour;
  /** End when standard input or the parent's channel closes, and on no signal: no plane outlives its host, nor ends before it. */
  readonly withParent: boolean;
}

export const USAGE =
  'usage: plane-main --data-dir DIR [--port N] [--host 127.0.0.1] [--behaviour hosted|improved] [--with-parent]';

/** Throws an Error whose message names the flag. */
export function readFlags(args: readonly string[]): PlaneFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'data-dir': { type: 'string' },
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      behaviour: { type: 'string', default: 'improved' },
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
  return { dataDir, port, host, behaviour, withParent: values['with-parent'] };
}
