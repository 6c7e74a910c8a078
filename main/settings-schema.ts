/** What settings.yaml may say, with the values that hold where it says nothing. Pure. */
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import {
  TRUSTED_OPTIONS,
  type JobLimits,
  type TrustedOption,
} from '../runner-core/model/job-spec.ts';
import type { NetworkSettings } from './control-plane/service-route.ts';
import { bytesOf, durationMsOf } from './settings-units.ts';

export interface Settings {
  readonly limits: JobLimits;
  /** Jobs at once; the service may give fewer. */
  readonly concurrency: number;
  readonly allow: ReadonlyMap<string, readonly TrustedOption[]>;
  /** For the test job; null: the owner named none. */
  readonly testImage: string | null;
  readonly disk: DiskLimits;
  readonly hostDirectories: HostDirectoryLimits;
  readonly network: NetworkSettings;
  /** How long the container of a failed job is kept for a look; null: not at all. */
  readonly keepFailedMs: number | null;
}

/** What our own folders may take, and what must stay free for everybody else. Null: no limit. */
export interface DiskLimits {
  readonly budgetBytes: number | null;
  readonly ageMs: number | null;
  readonly freeFloorBytes: number | null;
}

/** What is kept of the folders of local commands; null: no limit. */
export interface HostDirectoryLimits {
  readonly ageMs: number | null;
  readonly budgetBytes: number | null;
}

/** Less starts no container: the engine's own floor for memory. */
const MIN_MEMORY_BYTES = 6 * 2 ** 20;
const MIN_TIME_LIMIT_MS = 1_000;
const MIN_KEEP_MS = 60_000;
/** The service stores no more (its range is 1 to 32). */
const MAX_CONCURRENCY = 32;

export const DEFAULT_SETTINGS: Settings = {
  limits: {
    memoryBytes: null,
    cpus: null,
    pids: null,
    timeLimitMs: 24 * 3_600_000,
    logBytes: 2 ** 30,
  },
  concurrency: 2,
  allow: new Map(),
  testImage: null,
  disk: { budgetBytes: 2 * 2 ** 30, ageMs: 30 * 86_400_000, freeFloorBytes: 2 ** 30 },
  hostDirectories: { ageMs: 30 * 86_400_000, budgetBytes: 4 * 2 ** 30 },
  network: { proxy: null, caFile: null },
  keepFailedMs: null,
};

/** Each message is the remedy: what to write instead. */
const SIZE = 'write a size such as 4 GiB, or none';
const memory = amount(bytesOf, `${SIZE}; at least 6 MiB`, MIN_MEMORY_BYTES);
const log = amount(bytesOf, `${SIZE}; at least 1 MiB`, 2 ** 20);
const timeLimit = amount(
  durationMsOf,
  'write a time such as 24h or 90m, or none',
  MIN_TIME_LIMIT_MS,
);
const none = z.literal('none').transform(() => null);
const cpus = z.union([z.number().min(0.01).max(1024), none], {
  error: 'write a number of processors such as 2 or 0.5, or none',
});
const pids = z.union([z.number().int().min(1).max(4_194_304), none], {
  error: 'write a whole number such as 1024, or none',
});
const options = z.array(
  z.enum(TRUSTED_OPTIONS, { error: `use only ${TRUSTED_OPTIONS.join(', ')}` }),
  { error: `write a list such as [${TRUSTED_OPTIONS[0]}]` },
);

const limitsSchema = z.strictObject(
  {
    memory: memory.optional(),
    cpus: cpus.optional(),
    pids: pids.optional(),
    time_limit: timeLimit.optional(),
    log: log.optional(),
  },
  objectRemedy('memory, cpus, pids, time_limit, log'),
);

const budget = amount(
  bytesOf,
  'write a size such as 2 GiB, or none; at least 16 MiB',
  16 * 2 ** 20,
);
const age = amount(durationMsOf, 'write a time such as 30d, or none; at least 1h', 3_600_000);
const freeFloor = amount(bytesOf, 'write a size such as 1 GiB, or none', 1);
const diskSchema = z.strictObject(
  { budget: budget.optional(), age: age.optional(), free_floor: freeFloor.optional() },
  objectRemedy('budget, age, free_floor'),
);
const hostDirectoriesSchema = z.strictObject(
  { age: age.optional(), budget: budget.optional() },
  objectRemedy('age, budget'),
);

const PROXY = 'write an address such as http://proxy.example:3128, or none';
const proxy = z.string({ error: PROXY }).refine(isProxy, PROXY);
const CA_FILE = 'write the full path of a file with certificates in PEM form';
const caFile = z.string({ error: CA_FILE }).refine(isAbsolute, CA_FILE);
const networkSchema = z.strictObject(
  { proxy: proxy.nullish(), ca_file: caFile.nullish() },
  objectRemedy('proxy, ca_file'),
);

const keepFailed = amount(
  durationMsOf,
  'write a time such as 2h, or none; at least 1m',
  MIN_KEEP_MS,
);

/** An empty section (`limits:` and nothing below) says nothing. */
const fileSchema = z.strictObject(
  {
    limits: limitsSchema.nullish(),
    disk: diskSchema.nullish(),
    local_command_folders: hostDirectoriesSchema.nullish(),
    network: networkSchema.nullish(),
    keep_failed: keepFailed.nullish(),
    concurrency: z
      .number({ error: 'write a whole number from 1 to 32' })
      .int('write a whole number from 1 to 32')
      .min(1, 'write a whole number from 1 to 32')
      .max(MAX_CONCURRENCY, 'write a whole number from 1 to 32')
      .optional(),
    allow: z
      .record(z.string(), options, { error: 'write one line for each flow: its id and a list' })
      .nullish(),
    test_image: z
      .string({ error: 'write the name of an image such as debian:bookworm' })
      .regex(
        /^[a-z0-9][a-zA-Z0-9._/:@-]{0,255}$/,
        'write the name of an image such as debian:bookworm',
      )
      .nullish(),
  },
  objectRemedy(
    'limits, disk, local_command_folders, network, concurrency, keep_failed, allow, test_image',
  ),
);

export type SettingsReading =
  | { readonly ok: true; readonly settings: Settings }
  /** `path` leads to the first offending field; `remedy` says what to write there. */
  | { readonly ok: false; readonly path: readonly (string | number)[]; readonly remedy: string };

export function readSettings(value: unknown): SettingsReading {
  const parsed = fileSchema.safeParse(value ?? {});
  if (!parsed.success) return firstProblem(parsed.error);
  const { limits, disk, network, concurrency, allow, test_image: testImage } = parsed.data;
  const fallback = DEFAULT_SETTINGS.limits;
  const folders = parsed.data.local_command_folders;
  const { hostDirectories } = DEFAULT_SETTINGS;
  return {
    ok: true,
    settings: {
      limits: {
        memoryBytes: limits?.memory === undefined ? fallback.memoryBytes : limits.memory,
        cpus: limits?.cpus === undefined ? fallback.cpus : limits.cpus,
        pids: limits?.pids === undefined ? fallback.pids : limits.pids,
        timeLimitMs:
          limits?.time_limit === undefined ? fallback.timeLimitMs : (limits.time_limit ?? 0),
        logBytes: limits?.log === undefined ? fallback.logBytes : (limits.log ?? 0),
      },
      concurrency: concurrency ?? DEFAULT_SETTINGS.concurrency,
      allow: new Map(Object.entries(allow ?? {})),
      testImage: testImage ?? null,
      keepFailedMs: parsed.data.keep_failed ?? null,
      disk: diskLimits(disk ?? {}),
      hostDirectories: {
        ageMs: or(folders?.age, hostDirectories.ageMs),
        budgetBytes: or(folders?.budget, hostDirectories.budgetBytes),
      },
      network: { proxy: network?.proxy ?? null, caFile: network?.ca_file ?? null },
    },
  };
}

function diskLimits(given: z.infer<typeof diskSchema>): DiskLimits {
  const fallback = DEFAULT_SETTINGS.disk;
  return {
    budgetBytes: or(given.budget, fallback.budgetBytes),
    ageMs: or(given.age, fallback.ageMs),
    freeFloorBytes: or(given.free_floor, fallback.freeFloorBytes),
  };
}

/** Null is an answer: no limit. */
function or(value: number | null | undefined, usual: number | null): number | null {
  return value === undefined ? usual : value;
}

function firstProblem(error: z.ZodError): SettingsReading {
  const issue = error.issues[0];
  const path = (issue?.path ?? []).filter((step) => typeof step !== 'symbol');
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  return {
    ok: false,
    path: unknownKey === undefined ? path : [...path, unknownKey],
    remedy: issue?.message ?? '',
  };
}

function isProxy(text: string): boolean {
  if (text === 'none') return true;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '';
}

/** A size or time with unit, 0 or 'none' for no limit (null). */
function amount(read: (text: string) => number | undefined, remedy: string, least: number) {
  return z.union([z.string(), z.number()], { error: remedy }).transform((written, context) => {
    if (written === 'none' || written === 0) return null;
    const value = read(String(written));
    if (value !== undefined && value >= least) return value;
    context.addIssue({ code: 'custom', message: remedy });
    return z.NEVER;
  });
}

function objectRemedy(names: string): { error: () => string } {
  return { error: () => `use only ${names}` };
}
