/** Runs one benchmark by its name: a table for people, and with --json one line for machines, last of all. */
import { parseArgs } from 'node:util';
import * as z from 'zod';
import type { BenchOptions, BenchResult } from './bench/bench-result.ts';
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
  adopt: { about: 'eight jobs taken up again after their host was killed', engine: true },
  fleet: { about: 'thirty-two jobs that print at once', engine: true },
  idle: { about: 'what a host costs that has nothing to do', engine: true },
  wake: { about: 'a network that goes away without a word, and waking from sleep', engine: false },
  hostexec: { about: 'a local command that prints 200 MB, one event of 50 MB', engine: false },
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

const sizeSchema = z.coerce.number().int().positive().optional();
const sizesSchema = z.object({
  seconds: sizeSchema,
  jobs: sizeSchema,
  lines: sizeSchema,
}) satisfies z.ZodType<BenchOptions>;

const { standIn, rest } = readCommandFlags(process.argv.slice(2));
const asked = readArguments(rest);
const [name = '', ...tooMany] = asked?.names ?? [];

await runEntry(async () => {
  if (asked === null || !isBenchName(name) || tooMany.length > 0) {
    if (name !== '') console.error(`There is no benchmark "${[name, ...tooMany].join(' ')}".\n`);
    console.error(usage());
    return NOT_UNDERSTOOD;
  }
  const { asJson, options } = asked;
  if (!BENCHES[name].engine) return measure(name, asJson, options);
  return withEngine(standIn, (engine) => {
    Object.assign(process.env, engine.environment);
    return measure(name, asJson, options);
  });
});

async function measure(bench: BenchName, asJson: boolean, options: BenchOptions): Promise<number> {
  const module = (await import(`./bench/${bench}.ts`)) as {
    run(options: BenchOptions): Promise<unknown>;
  };
  const result = resultSchema.parse(await module.run(options));
  console.log(table(result));
  if (asJson) console.log(JSON.stringify(result));
  return result.pass ? OK : MISSED;
}

interface Asked {
  readonly names: readonly string[];
  readonly asJson: boolean;
  readonly options: BenchOptions;
}

/** Null for flags that are not understood. */
function readArguments(args: readonly string[]): Asked | null {
  const size = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, seconds: size, jobs: size, lines: size },
    });
    const { json = false, ...sizes } = values;
    const options = sizesSchema.safeParse(sizes);
    return options.success ? { names: positionals, asJson: json, options: options.data } : null;
  } catch {
    return null;
  }
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
  return `Usage: npm run bench NAME [-- --json] [--seconds N] [--jobs N] [--lines N]

${lines.join('\n')}

Sizes are for adopt, fleet and idle, to try them: the bars are for the sizes they have by themselves.
`;
}
