/** A job that prints a given number of 100-byte lines as fast as it can, and its bare twin. */

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

export const WRITE_REPORT = `echo '{"status":"success"}' > /workspace/result.json`;
