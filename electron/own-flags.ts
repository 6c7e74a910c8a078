/** Tells the owner's flags from what Electron, Chromium and the system put on the same command line. Pure. */

/**
 * Switches that take down a wall between page and machine. A packaged app drops them, whoever gave them.
 * Chromium reads these after our first line has run.
 */
export const UNWANTED_SWITCHES = [
  'allow-file-access-from-files',
  'allow-running-insecure-content',
  'auto-open-devtools-for-tabs',
  'disable-site-isolation-trials',
  'disable-web-security',
  'enable-blink-features',
  'host-resolver-rules',
  'host-rules',
  'ignore-certificate-errors',
  'ignore-certificate-errors-spki-list',
  'js-flags',
  'load-extension',
  'remote-allow-origins',
  'remote-debugging-address',
  'remote-debugging-pipe',
  'remote-debugging-port',
  'unsafely-treat-insecure-origin-as-secure',
] as const;

/**
 * The arguments that name one of `flags`, each with its value; the rest is not for us: Chromium's switches,
 * `-psn_…` of macOS, the path of the app.
 *
 * @param flags name → whether a value follows
 */
export function ownFlags(
  args: readonly string[],
  flags: Readonly<Record<string, 'value' | 'alone'>>,
): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? '';
    const name = /^--([a-z-]+)(=|$)/.exec(argument)?.[1];
    if (name === undefined || !Object.hasOwn(flags, name)) continue;
    kept.push(argument);
    const value = args[at + 1];
    if (flags[name] === 'value' && !argument.includes('=') && value !== undefined) {
      kept.push(value);
      at += 1;
    }
  }
  return kept;
}
