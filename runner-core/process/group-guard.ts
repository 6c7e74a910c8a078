/**
 * Ends what a program started when this process dies without a word, as a utility process of Electron does with its
 * app: a small shell beside it, which waits for the end of a pipe that only this process holds. The program itself is
 * started as ever. POSIX only; on Windows nobody watches.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { OwnedTag } from './process-group.ts';

/**
 * Each line is the group of now, empty for none; `over` is the last one of all. At the end of the pipe the group is
 * killed, then, where the system has /proc, whatever carries the tag as an entry of its environment: until no more is
 * seen, a bounded number of times.
 */
const WATCH = String.raw`
trap '' HUP INT QUIT TERM
group=
while IFS= read -r line; do
  [ "$line" = over ] && exit 0
  group=$line
done
[ -n "$group" ] && kill -s KILL -- "-$group"
cd /proc || exit 0
looks=0
while [ "$looks" -lt 20 ]; do
  found=
  for file in $(grep -lsF -e "$1" [0-9]*/environ); do
    tr '\000\012' '\012\001' <"$file" | grep -qxF -e "$1" || continue
    kill -s KILL "$(dirname "$file")" && found=1
  done
  [ -n "$found" ] || exit 0
  looks=$((looks + 1))
done
`;

export class GroupGuard {
  readonly #shell: ChildProcess | null;

  constructor(tag: OwnedTag) {
    this.#shell = process.platform === 'win32' ? null : shellFor(tag);
    // It is a second line: where it cannot be started, or was ended, the program runs as it would without.
    this.#shell?.on('error', () => undefined);
    this.#shell?.stdin?.on('error', () => undefined);
  }

  /** What to end from now on, beside what carries the tag; null: that number may be somebody else's by now. */
  watch(group: number | null): void {
    this.#tell(`${group ?? ''}\n`);
  }

  /** Nothing is left to end. */
  stop(): void {
    this.#tell('over\n');
    this.#shell?.stdin?.end();
  }

  #tell(line: string): void {
    const pipe = this.#shell?.stdin;
    if (pipe?.writable === true) pipe.write(line);
  }
}

function shellFor({ variable, value }: OwnedTag): ChildProcess {
  const { PATH = '' } = process.env;
  return spawn('/bin/sh', ['-c', WATCH, 'preloop-guard', `${variable}=${value}`], {
    // A signal to the group of this process, or the end of its session, is not for it.
    detached: true,
    cwd: '/',
    // Never with the tag, by which it would find itself.
    env: { PATH: `${PATH}:/usr/bin:/bin` },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}
