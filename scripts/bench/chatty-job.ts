/** Jobs that print a given number of 100-byte lines: as fast as they can, or at a pace. */

const PROGRAM = `import sys
total = int(sys.argv[1])
write = sys.stdout.buffer.write
pad = b'x' * 90
for first in range(0, total, 1000):
    write(b''.join(b'%08d ' % n + pad + b'\\n' for n in range(first, min(first + 1000, total))))
`;

/** Bash that prints `lines` lines of exactly 100 bytes, line breaks included. */
export function printLines(lines: number): string {
  const encoded = Buffer.from(PROGRAM, 'utf8').toString('base64');
  return `echo ${encoded} | base64 -d > /tmp/print.py && python3 /tmp/print.py ${lines}`;
}

export interface Pace {
  readonly lines: number;
  /** Of them, at the beginning and as fast as can be. */
  readonly atOnce: number;
  readonly linesPerWrite: number;
  readonly writesPerSecond: number;
}

const PACED_PROGRAM = `import sys, time
total, at_once, each, rate = [int(given) for given in sys.argv[1:]]
out = sys.stdout.buffer
pad = b'x' * 90
def write(first, end):
    out.write(b''.join(b'%08d ' % n + pad + b'\\n' for n in range(first, end)))
    out.flush()
for first in range(0, at_once, 1000):
    write(first, min(first + 1000, at_once))
begun = time.monotonic()
for turn, first in enumerate(range(at_once, total, each)):
    write(first, min(first + each, total))
    time.sleep(max(0, begun + (turn + 1) / rate - time.monotonic()))
`;

/** Bash that prints such lines at a pace that does not fall behind while the machine keeps up. */
export function printPaced({ lines, atOnce, linesPerWrite, writesPerSecond }: Pace): string {
  const encoded = Buffer.from(PACED_PROGRAM, 'utf8').toString('base64');
  const args = [lines, atOnce, linesPerWrite, writesPerSecond];
  return `echo ${encoded} | base64 -d > /tmp/print.py && python3 /tmp/print.py ${args.join(' ')}`;
}

/** Of a line as printed; NaN for anything else. */
export function lineNumber(line: string): number {
  return /^\d{8} x{90}$/.test(line) ? Number(line.slice(0, 8)) : Number.NaN;
}

export const WRITE_REPORT = `echo '{"status":"success"}' > /workspace/result.json`;
