/** The cursor rule over a scripted log: workers killed at random lose and double nothing. */
import { expect, test } from 'vitest';
import { SecretMask } from '../../../runner-core/worker/secret-mask.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeLogSource, trimmed } from '../../support/fake-log-source.ts';
import { LogFollower } from '../../support/log-follower.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

/** Many more than over a real engine, where each takes a second. */
const KILLS = 10 * Number(process.env['CURSOR_KILLS'] ?? 20);
const SECRET = 'the-one-secret-of-this-job';
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8').decode(bytes);

interface Run {
  readonly kills: number;
  readonly lost: readonly string[];
}

/** One log, written, followed, broken and killed by chance; compared whole at its end. */
async function run(seed: number): Promise<Run> {
  const random = new SeededRandom(seed);
  const clock = new FakeClock();
  const chance = (part: number): boolean => random.fraction() < part;
  const source = new FakeLogSource({
    chunkBytes: () => random.integer(1, chance(0.05) ? 50 : 100_000),
    beforeChunk: async () => {
      if (chance(0.2)) await clock.advance(100);
    },
    ...(chance(0.3) ? { format: trimmed } : {}),
  });
  const mask = new SecretMask([SECRET]);
  const follower = new LogFollower({ source, clock, exited: source.exited, mask });
  const written: [Buffer[], Buffer[]] = [[], []];
  const writeSome = (): void => {
    for (let count = random.integer(1, 8); count > 0; count--) {
      const from = chance(0.3) ? 1 : 0;
      const bytes = randomOutput(random, written[from].length);
      written[from].push(bytes);
      source.write(from, bytes);
      if (chance(0.05)) source.setClockBack(random.integer(1, 100));
    }
  };

  let kills = 0;
  const rounds = random.integer(3, 14);
  for (let round = 0; round < rounds; round++) {
    writeSome();
    const worker = follower.runUntilKilled(random.integer(1, 4));
    for (let killed = false; !killed;) {
      if (chance(0.1)) source.breakStreams();
      if (chance(0.3)) writeSome();
      killed = (await Promise.race([worker, clock.advance(random.integer(1, 600))])) === 'killed';
    }
    kills += 1;
  }
  if (chance(0.7)) {
    const end = Buffer.from('an end without a line break \xc3', 'latin1');
    written[0].push(end);
    source.write(0, end);
  }
  const last = follower.run();
  if (chance(0.5)) await clock.advance(50);
  source.exit(random.integer(0, 3));
  await Promise.all([last, clock.advance(2_000)]);
  const lost = (['stdout', 'stderr'] as const).flatMap((name, index) => {
    const bytes = Buffer.concat(written[index === 0 ? 0 : 1]);
    const expected = mask.maskText(decode(bytes)).split('\n');
    if (expected.at(-1) === '') expected.pop();
    return firstDifference(name, expected, follower.lines(name));
  });
  return { kills, lost };
}

/** Lines of all kinds: short, empty, torn over pieces, 40 KiB, beyond a record, with a secret anywhere. */
function randomOutput(random: SeededRandom, number: number): Buffer {
  const kind = random.integer(0, 15);
  const tag = `${number}:`;
  if (kind === 0) return Buffer.from('\n');
  if (kind === 1) return Buffer.from(`${tag}${'é😀'.repeat(random.integer(5_000, 9_000))}\n`);
  if (kind === 2) return Buffer.from(`${tag}${'x'.repeat(40_960)}${SECRET}\n`);
  if (kind === 3)
    return Buffer.from(
      `${tag}${'y'.repeat(65_536 - random.integer(0, 60))}${SECRET}${'z'.repeat(random.integer(0, 90_000))}\n`,
    );
  if (kind === 4) return Buffer.from(`${tag}no end yet, `);
  if (kind === 5)
    return Buffer.concat([Buffer.from(tag), Buffer.from([0xe2, 0x82]), Buffer.from('\n')]);
  return Buffer.from(`${tag} a line with ${SECRET} in it\n`);
}

function firstDifference(
  name: string,
  expected: readonly string[],
  actual: readonly string[],
): string[] {
  const at = expected.findIndex((line, index) => actual[index] !== line);
  if (at === -1 && expected.length === actual.length) return [];
  const show = (line: string | undefined): string => JSON.stringify(line?.slice(0, 60));
  return [
    `${name} line ${at} of ${expected.length}, got ${actual.length}: ` +
      `${show(expected[at])} became ${show(actual[at])}`,
  ];
}

test(`${KILLS} workers killed at random lose no line and double none`, async () => {
  let kills = 0;
  for (let seed = 1; kills < KILLS; seed++) {
    const result = await run(seed);
    expect(result.lost, `seed ${seed}`).toEqual([]);
    kills += result.kills;
  }
}, 600_000);
