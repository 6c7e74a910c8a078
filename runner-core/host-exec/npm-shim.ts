/**
 * What stands in the way of a command line on Windows: npm's batch shims, which are seen through, and the limits and
 * misreadings of batch files and of the system. Pure.
 */
import { win32 } from 'node:path';

export const SHIM_MAX_BYTES = 65_536;
const BATCH_LINE_MAX_UNITS = 8_000;
const LINE_MAX_UNITS = 30_000;
const BATCH_UNSAFE = /["%\r\n&|<>^!]/;
const SHIM_CALL = /"%_prog%"\s+([^\r\n"]*)"%dp0%\\([^"\r\n]+\.(?:js|cjs|mjs))"/i;
const SHIM_FLAG = /^--?[A-Za-z0-9][A-Za-z0-9_.:,=/+-]*$/;

export interface Shim {
  readonly flags: readonly string[];
  /** Absolute. */
  readonly script: string;
}

/** What an npm shim starts; undefined for any other batch file, which is then started as it is. */
export function unwrappedShim(text: string, directory: string): Shim | undefined {
  const [, flagText = '', script] = SHIM_CALL.exec(text) ?? [];
  if (script === undefined || script.includes('%')) return undefined;
  const flags = flagText.split(/\s+/).filter((flag) => flag !== '');
  if (!flags.every((flag) => SHIM_FLAG.test(flag))) return undefined;
  return { flags, script: win32.join(directory, script) };
}

export type WindowsCommandProblem = 'batch_argument_unsafe' | 'command_too_long';

/** What keeps a command line from being started on Windows; undefined where nothing does. */
export function windowsCommandProblem(
  path: string,
  args: readonly string[],
  isBatch: boolean,
): WindowsCommandProblem | undefined {
  if (isBatch && args.some((argument) => BATCH_UNSAFE.test(argument)))
    return 'batch_argument_unsafe';
  const units = [path, ...args].map(windowsQuoted).join(' ').length;
  return units > (isBatch ? BATCH_LINE_MAX_UNITS : LINE_MAX_UNITS) ? 'command_too_long' : undefined;
}

/** One argument as Windows programs take it apart again. */
export function windowsQuoted(argument: string): string {
  if (argument !== '' && !/[\s"]/.test(argument)) return argument;
  return `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}
