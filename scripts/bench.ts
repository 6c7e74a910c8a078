/** Runs one benchmark by its name: a table for people, and with --json one line for machines, last of all. */
import * as z from 'zod';
import type { BenchResult } from './bench/bench-result.ts';
import { readCommandFlags } from './setup/command-flags.ts';
import { runEntry } from './setup/say.mjs';
import { withEngine } from './setup/with-engine.ts';

const OK = 0;
const MISSED = 1;
const NOT_UNDERSTOOD = 2;

/** Each is in `bench/<name>.ts`, which exports `run`. */
const BENCHES = {
  logs: { about: 'a million lines through host, plane and engine', engine: true },
  dispatch: { about: 'from an offer to a running container', engine: true },
  page: { about: 'the page with many jobs, and with a log that arrives fast', engine: false },
  wake: { about: 'a network that goes away without a word, and waking from sleep', engine: false },
  demux: { about: "splitting Docker's multiplexed output", engine: false },
} as const;
type BenchName = keyof typeof BENCHES;

const resultSchema = z.object({
  bench: z.string(),
  metrics: z.record(z.string(), z.number()),
  limit: z.union([z.number(), z.record(z.string(), z.number())]),
  ratio: z.number(),
  pass: z.boolean(),
}) satisfies z.ZodType<BenchResult>;

const { standIn, rest } = readCommandFlags(process.argv.slice(2));
const asJson = rest.includes('--json');
const [name = '', ...tooMany] = rest.filter((arg) => arg !== '--json');

await runEntry(async () => {
  if (!isBenchName(name) || tooMany.length > 0) {
    if (name !== '') console.error(`There is no benchmark "${[name, ...tooMany].join(' ')}".\n`);
    console.error(usage());
    return NOT_UNDERSTOOD;
  }
  if (!BENCHES[name].engine) return measure(name);
  return withEngine(standIn, (engine) => {
    Object.assign(process.env, engine.environment);
    return measure(name);
  });
});

async function measure(bench: BenchName): Promise<number> {
  const module = (await import(`./bench/${bench}.ts`)) as { run(): Promise<unknown> };
  const result = resultSchema.parse(await module.run());
  console.log(table(result));
  if (asJson) console.log(JSON.stringify(result));
  return result.pass ? OK : MISSED;
}

function table({ bench, metrics, limit, ratio, pass }: BenchResult): string {
  const bars = typeof limit === 'number' ? { ratio: limit } : limit;
  const lines = (values: Readonly<Record<string, number>>): string[] =>
    Object.entries(values).map(([of, value]) => `  ${of.padEnd(28)}${number(value).padStart(12)}`);
  return [
    `${bench}: measured`,
    ...lines({ ...metrics, ratio }),
    'limits',
    ...lines(bars),
    pass ? 'met' : 'MISSED',
  ].join('\n');
}

function number(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en-US') : value.toPrecision(4);
}

function isBenchName(text: string): text is BenchName {
  return Object.hasOwn(BENCHES, text);
}

function usage(): string {
  const lines = Object.entries(BENCHES).map(
    ([known, { about }]) => `  ${known.padEnd(10)}${about}`,
  );
  return `Usage: npm run bench NAME [-- --json]\n\n${lines.join('\n')}\n`;
}
