/** The cursor rule over a real engine: workers killed while a container writes lose and double nothing. */
import { execa } from 'execa';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { LogSource } from '../../runner-core/docker/container-log.ts';
import { dockerEngine } from '../../runner-core/docker/dockerode-engine.ts';
import { StreamFrames } from '../../runner-core/docker/stream-frames.ts';
import { systemClock } from '../../runner-core/system.ts';
import type { EngineAddress } from '../../runner-core/worker/protocol.ts';
import { frame } from '../support/fake-log-source.ts';
import { LogFollower } from '../support/log-follower.ts';
import { SeededRandom } from '../support/seeded-random.ts';

const IMAGE = 'preloop-runner-host-test:bookworm';
const KILLS = Number(process.env['CURSOR_KILLS'] ?? 20);
const STAMP_BYTES = '2026-01-02T03:04:05.123456789Z'.length;
const CLOCK_SET_BACK = 'the clock is set back';

/**
 * Some four seconds of output: short and empty lines, 40 KiB, more than a record, characters torn at the
 * engine's cuts and over writes, bytes that are no UTF-8, lines that stay open for a while, and an end
 * without a line break.
 */
const GENERATOR = `
import os, random, sys, time
random.seed(int(sys.argv[1]))
def write(fd, data):
    while data:
        data = data[os.write(fd, data):]
number = 0
for burst in range(40):
    for _ in range(random.randint(1, 25)):
        number += 1
        fd = 2 if random.random() < 0.3 else 1
        tag = b"%d " % number
        kind = random.randint(0, 11)
        if kind == 0: line = b""
        elif kind == 1: line = tag + b"x" * 40960
        elif kind == 2: line = tag + "é😀".encode() * random.randint(3000, 15000)
        elif kind == 3: line = tag + b"\\xff\\xe2\\x82 torn \\xc3"
        elif kind == 4: line = tag + b"y" * (16384 - len(tag) + random.randint(-1, 1))
        else: line = tag + b"an ordinary line of output"
        cut = random.randint(0, len(line))
        write(fd, line[:cut])
        if kind in (1, 2): time.sleep(0.02)
        write(fd, line[cut:] + b"\\n")
    if burst == 20: write(1, b"${CLOCK_SET_BACK}\\n")
    time.sleep(0.08)
write(1, b"z" * random.choice([0, 20, 20000]))
write(2, b"no end \\xf0\\x9f")
`;

/** Where the tests' engine is: they are given its address as Docker's own command line is. */
function engineAddress(): EngineAddress {
  const host = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  return { kind: 'socket', path: host.replace(/^unix:\/\//, '') };
}

let containers: string[] = [];

afterEach(async () => {
  if (containers.length > 0) await execa('docker', ['rm', '-f', '-v', ...containers]);
  containers = [];
});

async function startGenerator(seed: number): Promise<string> {
  const name = `cursor-rule-${process.pid}-${seed}`;
  const log = [
    '--log-driver',
    'json-file',
    '--log-opt',
    'max-size=300m',
    '--log-opt',
    'max-file=2',
  ];
  containers.push(name);
  const run = ['run', '-d', '--name', name, ...log, IMAGE];
  await execa('docker', [...run, 'python3', '-c', GENERATOR, `${seed}`]);
  return name;
}

/** What the engine itself says both outputs were, in lines as we show them. */
async function outputOf(container: string): Promise<{ stdout: string[]; stderr: string[] }> {
  const { stdout, stderr } = await execa('docker', ['logs', container], {
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: 500_000_000,
  });
  return { stdout: linesOf(stdout), stderr: linesOf(stderr) };
}

function linesOf(bytes: Uint8Array): string[] {
  const lines = new TextDecoder().decode(bytes).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The engine's log as it would be had its clock been set back by an hour in the middle. */
function withClockSetBack(source: LogSource): LogSource {
  let fromStamp: string | null = null;
  const shift = (bytes: Buffer, start: number, end: number): Buffer => {
    const payload = Buffer.from(bytes.subarray(start, end));
    const stamp = payload.toString('latin1', 0, STAMP_BYTES);
    if (payload.includes(CLOCK_SET_BACK)) fromStamp ??= stamp;
    if (fromStamp !== null && stamp >= fromStamp) {
      const earlier = new Date(Date.parse(`${stamp.slice(0, 19)}Z`) - 3_600_000).toISOString();
      payload.write(earlier.slice(0, 19), 0, 'latin1');
    }
    return payload;
  };
  return {
    open: async (id, since, signal, tail) => {
      const stream = await source.open(id, since, signal, tail);
      return (async function* () {
        let shifted: Buffer[] = [];
        const frames = new StreamFrames((from, bytes, start, end) => {
          shifted.push(frame(from, shift(bytes, start, end)));
        });
        for await (const chunk of stream) {
          frames.push(chunk);
          yield Buffer.concat(shifted);
          shifted = [];
        }
      })();
    },
  };
}

test(`${KILLS} workers killed while containers write lose no line and double none`, async () => {
  const engine = dockerEngine(engineAddress());
  onTestFinished(() => engine.close());
  const direct: LogSource = {
    open: (id, since, signal, tail) =>
      engine.logStream(id, { since, ...(tail === undefined ? {} : { tail }) }, signal),
  };
  let kills = 0;
  for (let seed = 1; kills < KILLS; seed++) {
    const random = new SeededRandom(seed);
    const containerId = await startGenerator(seed);
    const follower = new LogFollower({
      source: seed % 2 === 0 ? direct : withClockSetBack(direct),
      clock: systemClock,
      containerId,
      exited: engine.wait(containerId),
    });
    while ((await follower.runUntilKilled(random.integer(1, 3))) === 'killed') kills += 1;
    const expected = await outputOf(containerId);
    const got = { stdout: follower.lines('stdout'), stderr: follower.lines('stderr') };
    expect(got.stdout.length + got.stderr.length, `seed ${seed}`).toBeGreaterThan(100);
    expect(got, `seed ${seed}`).toEqual(expected);
  }
}, 600_000);
