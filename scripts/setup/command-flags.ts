/** The flags that the set-up takes out of a command's arguments before the command sees the rest. */

export interface CommandFlags {
  /** `--image NAME`: an image to use as the test image; null when not given. */
  readonly standIn: string | null;
  /** `--long`: the long variants of the tests. */
  readonly long: boolean;
  /** In their order, for the command itself. */
  readonly rest: readonly string[];
}

/** @throws RangeError for `--image` without a name */
export function readCommandFlags(args: readonly string[]): CommandFlags {
  let standIn: string | null = null;
  let long = false;
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--long') long = true;
    else if (arg.startsWith('--image=')) standIn = arg.slice('--image='.length);
    else if (arg === '--image') standIn = args[++i] ?? '';
    else rest.push(arg);
  }
  if (standIn === '') throw new RangeError('--image needs the name of an image');
  return { standIn, long, rest };
}

/** The kinds of tests that run without a Docker engine. */
const WITHOUT_ENGINE = ['unit', 'contracts'];
/** The kinds of tests that show the page in a browser. */
const WITH_BROWSER = ['page', 'desktop'];

/** True unless the arguments for vitest name only projects that run without an engine. */
export function needsEngine(vitestArgs: readonly string[]): boolean {
  const projects = namedProjects(vitestArgs);
  return projects.length === 0 || projects.some((name) => !WITHOUT_ENGINE.includes(name));
}

/** True unless the arguments for vitest name only projects that show no page. */
export function needsBrowser(vitestArgs: readonly string[]): boolean {
  const projects = namedProjects(vitestArgs);
  return (
    projects.length === 0 ||
    // A pattern may well mean one of them.
    projects.some((name) => WITH_BROWSER.includes(name) || /[*!]/.test(name))
  );
}

/** None named means all. */
function namedProjects(vitestArgs: readonly string[]): readonly string[] {
  return vitestArgs.flatMap((arg, i) => {
    if (arg.startsWith('--project=')) return [arg.slice('--project='.length)];
    return vitestArgs[i - 1] === '--project' ? [arg] : [];
  });
}
