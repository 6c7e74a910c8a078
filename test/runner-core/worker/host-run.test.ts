/** The limits of a started command by a clock that is told; the command is played by two streams. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { EventReader } from '../../../runner-core/host-exec/event-reader.ts';
import { OwnedGroup } from '../../../runner-core/process/owned-group.ts';
import type { GroupExit } from '../../../runner-core/process/process-group.ts';
import { HostLog } from '../../../runner-core/worker/host-log.ts';
import { HostRun, type HostRunEnd } from '../../../runner-core/worker/host-run.ts';
import { SecretMask } from '../../../runner-core/worker/secret-mask.ts';
import { StopSwitch } from '../../../runner-core/worker/stop-switch.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const RESULT = '{"type":"result","subtype":"success","is_error":false,"result":"ok"}\n';
const STALL_MS = 2_000;
const LINGER_MS = 5_000;

function runBench() {
  const clock = new FakeClock();
  const mask = new SecretMask();
  const log = new HostLog({
    clock,
    mask,
    maxLogBytes: 0,
    emit: ({ chunks }) => {
      for (const { seq } of chunks) log.stored(seq);
    },
  });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const exited = Promise.withResolvers<GroupExit>();
  const owned = new OwnedGroup(4_242, {
    hasMembers: () => false,
    hasProcess: () => false,
    table: () => Promise.resolve([]),
  });
  // No signal leaves this test.
  owned.leaderReaped();
  const run = new HostRun({
    clock,
    group: { pid: 4_242, owned, stdout, stderr, exited: exited.promise },
    tag: { variable: 'PRELOOP_FLOW_EXECUTION_ID', value: 'played' },
    reader: new EventReader(mask),
    log,
    stop: new StopSwitch(),
    deadlineMs: 60_000,
    lingerMs: LINGER_MS,
    stallMs: STALL_MS,
    graceMs: 1_000,
    started: () => undefined,
  });
  const ended = run.toTheEnd();
  const exits = (): Promise<HostRunEnd> => {
    stdout.end();
    stderr.end();
    exited.resolve({ code: 0, signal: null });
    return ended;
  };
  return { clock, stdout, exits };
}

test('a run that is silent longer than its limit is ended as stalled', async () => {
  const { clock, stdout, exits } = runBench();
  stdout.write('{"type":"system","subtype":"init"}\n');
  await clock.advance(STALL_MS);
  expect(await exits()).toMatchObject({ ending: 'stalled' });
});

test('silence after the result is no stall: the run may take its time to exit', async () => {
  const { clock, stdout, exits } = runBench();
  stdout.write(RESULT);
  await clock.advance(LINGER_MS - 1);
  expect(await exits()).toMatchObject({ ending: 'exited', code: 0 });
});

test('a run that does not exit after its result lingers, whatever it still says', async () => {
  const { clock, stdout, exits } = runBench();
  stdout.write(RESULT);
  await clock.advance(STALL_MS);
  stdout.write('tidying up\n');
  await clock.advance(LINGER_MS - STALL_MS);
  expect(await exits()).toMatchObject({ ending: 'lingered' });
});
