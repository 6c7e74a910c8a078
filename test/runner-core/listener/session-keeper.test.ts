import { expect, test } from 'vitest';
import { SessionKeeper } from '../../../runner-core/listener/session-keeper.ts';
import type { Link } from '../../../runner-core/listener/session-socket.ts';
import type { SessionState } from '../../../runner-core/model/session-state.ts';
import type { RunnerIdentity } from '../../../runner-core/ports.ts';
import type { HeartbeatFrame, ServerFrame } from '../../../runner-core/wire/frames.ts';
import { IDENTITY } from '../../support/builders.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeControlPlane } from '../../support/fake-control-plane.ts';
import { FixedRandom, RecordingLog } from '../../support/listener-bench.ts';

const HEARTBEAT: HeartbeatFrame = {
  type: 'heartbeat',
  concurrency: 2,
  ephemeral: false,
  host_exec_profiles: [],
  publication_capabilities: { version: 1, helper_ready: false },
};

function keeperBench(identity: RunnerIdentity | null = IDENTITY) {
  const clock = new FakeClock(1_000_000);
  const random = new FixedRandom();
  const plane = new FakeControlPlane();
  const who = { identity };
  const states: SessionState[] = [];
  const links: Link[] = [];
  const frames: ServerFrame[] = [];
  const told: string[] = [];
  const keeper = new SessionKeeper(
    {
      clock,
      random,
      log: new RecordingLog(),
      controlPlane: plane,
      heartbeat: () => HEARTBEAT,
      identity: () => who.identity,
    },
    {
      online: (link) => {
        links.push(link);
        told.push('online');
      },
      frame: (frame) => void frames.push(frame),
      offline: () => void told.push('offline'),
    },
  );
  keeper.watch((state) => void states.push(state));
  const online = async (): Promise<void> => {
    keeper.goOnline();
    await clock.advance(0);
  };
  return { clock, random, plane, who, states, links, frames, told, keeper, online };
}

const kinds = (states: readonly SessionState[]): string[] => states.map((state) => state.kind);

test('a complete heartbeat goes out right after the dial, before any hello', async () => {
  const { plane, clock, keeper, online, states } = keeperBench();
  plane.hello = null;
  await online();
  expect(plane.dialled).toEqual([IDENTITY]);
  expect(plane.session.sent).toEqual([HEARTBEAT]);
  expect(plane.session.pings).toBe(1);
  expect(kinds(states)).toEqual(['closed', 'dialling']);
  await keeper.stop();
  expect(clock.pending).toBe(0);
});

test('only hello makes a session online; its capacity and that of each ack are shown', async () => {
  const { plane, clock, states, online } = keeperBench();
  plane.hello = { concurrency: 1 };
  plane.reply = () => null;
  await online();
  plane.session.deliver({ type: 'ack', concurrency: 2 });
  plane.session.deliver({ type: 'ack', concurrency: 2 });
  await clock.advance(0);
  expect(states.slice(2)).toEqual([
    { kind: 'online', sinceMs: 1_000_000, capacity: null },
    { kind: 'online', sinceMs: 1_000_000, capacity: 1 },
    { kind: 'online', sinceMs: 1_000_000, capacity: 2 },
  ]);
});

test('a frame that comes before hello carries no work to anybody', async () => {
  const { plane, frames, online } = keeperBench();
  plane.hello = null;
  await online();
  plane.session.deliver({ type: 'job', job: {} });
  plane.session.deliver({ type: 'hello', runner_id: 'r' });
  plane.session.deliver({ type: 'job', job: {} });
  expect(frames.map((frame) => frame.type)).toEqual(['hello', 'job']);
});

test('a heartbeat and a ping follow every 15 s, spread by at most half a second', async () => {
  const { plane, clock, random, online } = keeperBench();
  await online();
  const countAfter = async (ms: number): Promise<number> => {
    await clock.advance(ms);
    expect(plane.session.pings).toBe(plane.session.sentOf('heartbeat').length);
    return plane.session.pings;
  };
  expect(await countAfter(14_999)).toBe(1);
  random.value = 0;
  expect(await countAfter(1)).toBe(2);
  random.value = 0.999_999;
  expect(await countAfter(14_499)).toBe(2);
  expect(await countAfter(1)).toBe(3);
  expect(await countAfter(15_499)).toBe(3);
  expect(await countAfter(1)).toBe(4);
  expect(plane.session.sentOf('heartbeat').every((frame) => frame === HEARTBEAT)).toBe(true);
});

test('silence of 45 s ends a session, and any sign of life puts that off', async () => {
  const { plane, clock, keeper, online } = keeperBench();
  await online();
  plane.reply = () => null;
  await clock.advance(44_000);
  plane.session.alive();
  await clock.advance(44_999);
  expect(plane.session.isOpen).toBe(true);
  await clock.advance(1);
  expect(plane.sessions[0]?.endedBy).toBe('nothing heard for 45 s');
  expect(keeper.state).toMatchObject({ kind: 'waiting', cause: 'nothing heard for 45 s' });
});

test('a session without hello for 20 s is ended although pongs come', async () => {
  const { plane, clock, online } = keeperBench();
  plane.hello = null;
  await online();
  await clock.advance(19_999);
  plane.session.alive();
  expect(plane.session.isOpen).toBe(true);
  await clock.advance(1);
  expect(plane.session.endedBy).toBe('no hello within 20 s');
});

test('a dial that is never answered is called off and tried again', async () => {
  const { plane, clock, keeper, online } = keeperBench();
  plane.dialling = 'hang';
  await online();
  await clock.advance(50_000);
  expect(keeper.state).toMatchObject({ kind: 'waiting', attempt: 1 });
  await clock.advance(500);
  expect(plane.dialled).toHaveLength(2);
});

test('failures wait longer each time, and a session that never says hello does not shorten that', async () => {
  const { plane, clock, states, online } = keeperBench();
  plane.dialling = { fails: 'no network' };
  await online();
  await clock.advance(500 + 1_000);
  plane.dialling = 'accept';
  plane.hello = null;
  await clock.advance(2_000);
  plane.session.drop('gone away');
  const waits = states.flatMap((state) =>
    state.kind === 'waiting' ? [[state.attempt, state.retryAtMs - state.sinceMs, state.cause]] : [],
  );
  expect(waits).toEqual([
    [1, 500, 'no network'],
    [2, 1_000, 'no network'],
    [3, 2_000, 'no network'],
    [4, 4_000, 'gone away'],
  ]);
  plane.hello = {};
  await clock.advance(4_000);
  plane.session.drop('gone away');
  expect(states.at(-1)).toMatchObject({ kind: 'waiting', attempt: 1 });
  expect(states.at(-1)).toHaveProperty('retryAtMs', clock.nowMs() + 500);
});

test.each([
  ['unauthorized', 'unauthorized'],
  ['gone', 'gone'],
  ['Runner was deleted', 'deleted'],
  ['Runner token was rotated', 'rotated'],
  ['Runner connection was replaced', 'replaced'],
] as const)(
  'after the error "%s" nothing is dialled until the owner acts',
  async (error, refusal) => {
    const { plane, clock, keeper, online } = keeperBench();
    plane.hello = null;
    await online();
    plane.session.deliver({ type: 'error', error });
    const refused = { kind: 'refused', sinceMs: 1_000_000, refusal };
    expect(keeper.state).toEqual(refused);
    await clock.advance(3_600_000);
    keeper.redial();
    keeper.goOnline();
    keeper.goOffline();
    await clock.advance(3_600_000);
    expect(keeper.state).toEqual(refused);
    expect(plane.dialled).toHaveLength(1);
    expect(clock.pending).toBe(0);
    plane.hello = {};
    keeper.retry();
    await clock.advance(0);
    expect(keeper.state.kind).toBe('online');
  },
);

test('what a process before this one was refused is stood by until the owner acts', async () => {
  const { plane, clock, keeper, states } = keeperBench();
  keeper.standBy('replaced');
  keeper.goOnline();
  keeper.redial();
  await clock.advance(3_600_000);
  expect(kinds(states)).toEqual(['closed', 'refused']);
  expect({ dialled: plane.dialled.length, timers: clock.pending }).toEqual({
    dialled: 0,
    timers: 0,
  });
  keeper.retry();
  await clock.advance(0);
  expect(keeper.state.kind).toBe('online');
});

test('an error that is no refusal leaves the session open', async () => {
  const { plane, keeper, online } = keeperBench();
  await online();
  plane.session.deliver({ type: 'error', error: 'Invalid runner completion status' });
  plane.session.deliver({ type: 'error', error: 'unknown status' });
  expect(keeper.state.kind).toBe('online');
});

test('frames, refusals and the end of an old socket are ignored', async () => {
  const { plane, clock, frames, keeper, online, told } = keeperBench();
  await online();
  const old = plane.session;
  keeper.redial();
  await clock.advance(0);
  const seen = frames.length;
  old.deliverLate({ type: 'error', error: 'Runner connection was replaced' });
  old.deliverLate({ type: 'job', job: {} });
  old.drop();
  expect(keeper.state.kind).toBe('online');
  expect(frames).toHaveLength(seen);
  expect(told).toEqual(['online', 'offline', 'online']);
});

test('frames that came with the handshake are handled in order, and none after a refusal', async () => {
  const { plane, frames, keeper, online, told } = keeperBench();
  plane.hello = null;
  // The first heartbeat is sent before anything that was received is looked at.
  plane.reply = (_frame, session) => {
    session.deliver({ type: 'hello', runner_id: 'r' });
    session.deliver({ type: 'error', error: 'gone' });
    session.deliver({ type: 'job', job: {} });
    return null;
  };
  await online();
  expect(frames.map((frame) => frame.type)).toEqual(['hello']);
  expect(told).toEqual(['online', 'offline']);
  expect(keeper.state).toMatchObject({ kind: 'refused', refusal: 'gone' });
});

test('redial drops the socket at once and dials without waiting, whatever failed before', async () => {
  const { plane, clock, keeper, online } = keeperBench();
  plane.dialling = { fails: 'no network' };
  await online();
  await clock.advance(500 + 1_000 + 2_000 + 4_000);
  expect(keeper.state).toMatchObject({ kind: 'waiting', attempt: 5 });
  plane.dialling = 'accept';
  keeper.redial();
  await clock.advance(0);
  expect(keeper.state.kind).toBe('online');
  const first = plane.session;
  keeper.redial();
  expect(first.endedBy).toBe('dialling again');
  await clock.advance(0);
  expect(plane.sessions).toHaveLength(2);
});

test('a socket that opens after it was given up is closed', async () => {
  const { plane, clock, keeper } = keeperBench();
  keeper.goOnline();
  keeper.goOffline();
  await clock.advance(0);
  expect(plane.session.endedBy).toBe('no longer wanted');
  expect(keeper.state.kind).toBe('closed');
  await clock.advance(100_000);
  expect(plane.dialled).toHaveLength(1);
});

test('offline on purpose stays so through time and wake, until going online again', async () => {
  const { plane, clock, keeper, online, told } = keeperBench();
  await online();
  keeper.goOffline();
  expect(told).toEqual(['online', 'offline']);
  await clock.advance(100_000);
  keeper.redial();
  await clock.advance(100_000);
  expect(keeper.state.kind).toBe('closed');
  expect(plane.session.endedBy).toBe('closed by this host');
  expect(plane.dialled).toHaveLength(1);
  await online();
  expect(keeper.state.kind).toBe('online');
});

test('without an identity nothing is dialled until the owner has enrolled', async () => {
  const { plane, clock, who, keeper, online } = keeperBench(null);
  await online();
  await clock.advance(100_000);
  expect(keeper.state.kind).toBe('signed_out');
  expect(plane.dialled).toEqual([]);
  who.identity = IDENTITY;
  keeper.retry();
  await clock.advance(0);
  expect(keeper.state.kind).toBe('online');
});

test('a frame sent on a link whose session ended goes nowhere and is never settled', async () => {
  const { plane, clock, links, online } = keeperBench();
  await online();
  const replies: string[] = [];
  plane.reply = () => null;
  const send = (): void =>
    links[0]?.send({ type: 'status', execution_id: 'x', status: 'RUNNING' }, (reply) =>
      replies.push(reply.kind),
    );
  send();
  plane.session.drop();
  send();
  await clock.advance(1_000);
  expect(plane.sessions[0]?.sentOf('status')).toHaveLength(1);
  expect(plane.sessions[1]?.sentOf('status')).toEqual([]);
  expect(replies).toEqual([]);
});

test('stop cuts a session that does not close, and leaves no timer', async () => {
  const { plane, clock, keeper, online } = keeperBench();
  await online();
  plane.session.closesPolitely = false;
  const stopped = keeper.stop();
  await clock.advance(2_999);
  expect(plane.session.isOpen).toBe(true);
  await clock.advance(1);
  await stopped;
  expect(plane.session.endedBy).toBe('not closed in time');
  expect(clock.pending).toBe(0);
});

test('stop while waiting or dialling leaves no timer and dials no more', async () => {
  for (const dialling of ['hang', { fails: 'no network' }] as const) {
    const { plane, clock, keeper, online } = keeperBench();
    plane.dialling = dialling;
    await online();
    await keeper.stop();
    keeper.retry();
    keeper.goOnline();
    await clock.advance(100_000);
    expect(plane.dialled).toHaveLength(1);
    expect(keeper.state.kind).toBe('closed');
    expect(clock.pending).toBe(0);
  }
});
