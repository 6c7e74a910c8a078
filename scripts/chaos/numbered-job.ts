/**
 * A job that prints numbered lines on both streams, and what its service must have in the end. Owns the
 * script and the form of its lines; the two must agree.
 */
export type Source = 'out' | 'err';
export type Ending = 'success' | 'exit_code' | 'failure_reported' | 'no_report';

export interface NumberedJob {
  readonly ending: Ending;
  /** Lines of each stream, numbered from 1. */
  readonly lines: Readonly<Record<Source, number>>;
  /** Lines between two pauses. */
  readonly burst: number;
  readonly pauseMs: number;
  /** Each line whose number this divides is `longChars` long; 0 for none. */
  readonly longEvery: number;
  readonly longChars: number;
  /** No line break after the last line of either stream. */
  readonly isUnterminated: boolean;
}

const PROGRAM = `import sys, time
out, err, burst, pause, every, chars, open_end = [int(each) for each in sys.argv[1:]]
def line(tag, number, last):
    text = '%s %06d ' % (tag, number)
    if every and number % every == 0:
        text = text + 'x' * (chars - len(text))
    return (text + ('' if last and open_end else '\\n')).encode()
for number in range(1, max(out, err) + 1):
    if number <= out:
        sys.stdout.buffer.write(line('out', number, number == out))
    if number <= err:
        sys.stderr.buffer.write(line('err', number, number == err))
    if number % burst == 0:
        sys.stdout.buffer.flush()
        sys.stderr.buffer.flush()
        time.sleep(pause / 1000)
`;

export const EXIT_CODE = 7;
const LAST_WORDS: Readonly<Record<Ending, string>> = {
  success: `echo '{"status":"success"}' > /workspace/result.json`,
  exit_code: `echo '{"status":"failure"}' > /workspace/result.json; exit ${EXIT_CODE}`,
  failure_reported: `echo '{"status":"failure"}' > /workspace/result.json`,
  no_report: `true`,
};

export function scriptOf(job: NumberedJob): string {
  const { lines, burst, pauseMs, longEvery, longChars, isUnterminated } = job;
  const encoded = Buffer.from(PROGRAM, 'utf8').toString('base64');
  const args = [lines.out, lines.err, burst, pauseMs, longEvery, longChars, Number(isUnterminated)];
  return `echo ${encoded} | base64 -d > /tmp/print.py && python3 /tmp/print.py ${args.join(' ')}
${LAST_WORDS[job.ending]}`;
}

/** How long it prints, at least. */
export function printingMs({ lines, burst, pauseMs }: NumberedJob): number {
  return Math.floor(Math.max(lines.out, lines.err) / burst) * pauseMs;
}

/** Status at the service when nothing but the job itself decides it. */
export function statusOf(job: NumberedJob): 'SUCCEEDED' | 'FAILED' {
  return job.ending === 'success' ? 'SUCCEEDED' : 'FAILED';
}

export interface LineCount {
  /** Missing between two lines that are there; and, where all must be there, at the end. */
  readonly lost: number;
  /** There more than once, out of order, changed or not the job's at all. */
  readonly doubled: number;
  /** For people: the first few that are wrong. */
  readonly examples: readonly string[];
}

/** How a long line ends that the host cut for the wire, and the plane, which stores less of it, once more. */
const CUT = /^x+ \[(line )?truncated\]$/;
const LEAST_OF_CUT = 65_000;
/** Printed in the container after a job that wrote no report, or was stopped before it did. */
const NO_REPORT = 'No usable result: ';
const EXAMPLES = 4;
const EXAMPLE_CHARS = 60;

/** @param isWhole the job printed to its end, so every line must be there */
export function countLines(
  job: NumberedJob,
  stored: readonly string[],
  isWhole: boolean,
): LineCount {
  const next: Record<Source, number> = { out: 1, err: 1 };
  const seen: Record<Source, Set<number>> = { out: new Set(), err: new Set() };
  const odd: string[] = [];
  let mayExplain = job.ending === 'no_report' || !isWhole;
  for (const text of stored) {
    if (mayExplain && text.startsWith(NO_REPORT)) {
      mayExplain = false;
      continue;
    }
    const found = read(job, text);
    if (found === undefined || seen[found.source].has(found.number)) {
      odd.push(`${found === undefined ? 'strange' : 'again'}: ${shortly(text)}`);
      continue;
    }
    if (found.number < next[found.source]) odd.push(`late: ${shortly(text)}`);
    seen[found.source].add(found.number);
    next[found.source] = Math.max(next[found.source], found.number + 1);
  }
  const due = (source: Source): number => (isWhole ? job.lines[source] : next[source] - 1);
  const missing = (['out', 'err'] as const).flatMap((source) =>
    Array.from({ length: due(source) }, (_, index) => index + 1)
      .filter((number) => !seen[source].has(number))
      .map((number) => `missing: ${source} ${number}`),
  );
  const examples = [...missing.slice(0, EXAMPLES), ...odd.slice(0, EXAMPLES)];
  return { lost: missing.length, doubled: odd.length, examples };
}

function read(
  job: NumberedJob,
  text: string,
): { readonly source: Source; readonly number: number } | undefined {
  const [, source, digits, rest = ''] = /^(out|err) (\d{6}) (.*)$/.exec(text) ?? [];
  if (source !== 'out' && source !== 'err') return undefined;
  const number = Number(digits);
  if (number < 1 || number > job.lines[source]) return undefined;
  const isLong = job.longEvery > 0 && number % job.longEvery === 0;
  return (isLong ? isLongRest(job, text, rest) : rest === '') ? { source, number } : undefined;
}

function isLongRest(job: NumberedJob, text: string, rest: string): boolean {
  if (text.length === job.longChars) return /^x*$/.test(rest);
  return text.length >= LEAST_OF_CUT && text.length < job.longChars && CUT.test(rest);
}

function shortly(text: string): string {
  return `${text.slice(0, EXAMPLE_CHARS)}…${text.slice(-EXAMPLE_CHARS)} (${text.length} characters)`;
}
