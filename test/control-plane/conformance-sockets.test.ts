/** The protocol's conformance list, rows on connections: authentication, greeting, capacity, eviction, ephemeral runners. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { planeUnderTest, type PlaneUnderTest } from '../support/plane-under-test.ts';
import { RawRunner } from '../support/raw-runner.ts';

describe.each(['hosted', 'improved'] as const)('%s', (behaviour) => {
  let clock: FakeClock;
  let bench: PlaneUnderTest;
  beforeEach(async () => {
    clock = new FakeClock(Date.parse('2026-10-20T08:15:30Z'));
    bench = await planeUnderTest({ clock, behaviour });
  });
  afterEach(async () => {
    await bench.close();
    expect(clock.pending).toBe(0);
  });

  test('conformance 1: a bad token is upgraded, told unauthorized, and closed with 1008', async () => {
    const { id, token } = await bench.register();

    for (const [runnerId, bad] of [
      [id, `${token}x`],
      [id, ''],
      ['9a1de0f4-52b7-4b1c-8e7e-3c0a4f2f7d11', token],
    ] as const) {
      const runner = await RawRunner.connect(bench.url, runnerId, bad);
      expect(await runner.next()).toEqual({ type: 'error', error: 'unauthorized' });
      expect(await runner.closed).toEqual({ code: 1008 });
    }
    const byQuery = await RawRunner.connect(bench.url, id, token, 'query');
    expect((await byQuery.next())['type']).toBe('hello');
    await byQuery.close();
    await expect(RawRunner.connect(bench.url, 'no-uuid', token)).rejects.toThrow('403');
  });

  test('conformance 2: hello comes first even when the runner speaks before it has read anything', async () => {
    const identity = await bench.register({ concurrency: 2 });
    const runner = await bench.connect(identity);
    runner.send({ type: 'heartbeat', concurrency: 2, host_exec_profiles: [] });

    expect(await runner.next()).toEqual({
      type: 'hello',
      runner_id: identity.id,
      log_acknowledgements: true,
      ephemeral: false,
      concurrency: 2,
    });
    expect(await runner.next()).toEqual({ type: 'ack', concurrency: 2 });
  });

  test('conformance 3: capacity follows each heartbeat: none said is 1, 40 is stored as 32, true is none', async () => {
    const runner = await bench.runner({ concurrency: 2 });
    await bench.rest('PATCH', `/api/v1/runners/${runner.runnerId}/concurrency`, {
      concurrency: 32,
    });
    const stored = (): unknown =>
      bench.plane.store.runners.get(runner.runnerId)?.reported_concurrency;

    expect(await runner.ask({ type: 'heartbeat' })).toEqual({ type: 'ack', concurrency: 1 });
    expect(stored()).toBeNull();
    expect(await runner.heartbeat({ concurrency: 40 })).toEqual({ type: 'ack', concurrency: 32 });
    expect(stored()).toBe(32);
    for (const unreported of [true, '8', 2.5, null, []]) {
      expect(await runner.heartbeat({ concurrency: unreported })).toMatchObject({ concurrency: 1 });
      expect(stored()).toBeNull();
    }
  });

  test('conformance 4: capacity is the smaller of ceiling and report, and a lower ceiling keeps leases', async () => {
    const runner = await bench.runner({ concurrency: 2 });
    const first = await bench.submit();
    const second = await bench.submit();
    const path = `/api/v1/runners/${runner.runnerId}`;
    expect((await bench.rest('GET', path)).body).toMatchObject({ capacity: 2, status: 'busy' });

    const lowered = await bench.rest('PATCH', `${path}/concurrency`, { concurrency: 1 });

    expect(lowered.body).toMatchObject({
      concurrency: 1,
      reported_concurrency: 2,
      capacity: 1,
      running_count: 2,
      running_execution_ids: [first['id'], second['id']],
    });
    await bench.rest('PATCH', `${path}/concurrency`, { concurrency: 32 });
    expect((await bench.rest('GET', path)).body).toMatchObject({ capacity: 2 });
  });

  test('conformance 19: of two sockets the first is told it was replaced, and the runner stays online', async () => {
    const identity = await bench.register();
    const first = await bench.connect(identity);
    await first.nextOf('hello');
    const second = await bench.connect(identity);
    await second.nextOf('hello');
    expect(first.isOpen).toBe(true);

    expect(await first.heartbeat()).toEqual({
      type: 'error',
      error: 'Runner connection was replaced',
    });
    expect(await first.closed).toEqual({ code: 1000 });

    await bench.plane.idle();
    expect((await bench.rest('GET', `/api/v1/runners/${identity.id}`)).body).toMatchObject({
      status: 'online',
    });
    expect(await second.heartbeat()).toEqual({ type: 'ack', concurrency: 2 });
  });

  test('conformance 20: rotation and deletion say so and close with 1008', async () => {
    const rotated = await bench.runner();
    const reply = await bench.rest('POST', `/api/v1/runners/${rotated.runnerId}/token`);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(await rotated.next()).toEqual({ type: 'error', error: 'Runner token was rotated' });
    expect(await rotated.closed).toEqual({ code: 1008 });

    const deleted = await bench.runner();
    const execution = await bench.submit();
    const answer = await bench.rest('DELETE', `/api/v1/runners/${deleted.runnerId}?force=true`);
    expect(answer.body).toEqual({
      id: deleted.runnerId,
      deleted: true,
      halted_execution_ids: [execution['id']],
    });
    expect(await deleted.nextOf('halt')).toEqual({
      type: 'halt',
      halt: true,
      halt_execution_id: execution['id'],
      halt_execution_ids: [execution['id']],
    });
    expect(await deleted.next()).toEqual({ type: 'error', error: 'Runner was deleted' });
    expect(await deleted.closed).toEqual({ code: 1008 });
    expect(await bench.execution(execution['id'])).toMatchObject({ status: 'STOPPED' });
  });

  test('conformance 20: a rotation or deletion made elsewhere is told on the next frame', async () => {
    const rotated = await bench.runner();
    bench.plane.store.runners.update(rotated.runnerId, { token_hash: 'f'.repeat(64) });
    expect(await rotated.heartbeat()).toEqual({ type: 'error', error: 'Runner token was rotated' });
    expect(await rotated.closed).toEqual({ code: 1000 });

    const deleted = await bench.runner();
    bench.plane.store.runners.delete(deleted.runnerId);
    expect(await deleted.heartbeat()).toEqual({ type: 'error', error: 'gone' });
    expect(await deleted.closed).toEqual({ code: 1000 });
  });

  test('conformance 23: unregister deletes an ephemeral row, and a lapsed one is swept unless it holds a lease', async () => {
    const polite = await bench.runner({ ephemeral: true });
    expect(polite.hello['ephemeral']).toBe(true);
    expect(await polite.ask({ type: 'unregister' })).toEqual({ type: 'ack' });
    expect(await polite.closed).toEqual({ code: 1000 });
    expect((await bench.rest('GET', `/api/v1/runners/${polite.runnerId}`)).status).toBe(404);

    const holding = await bench.register({ ephemeral: true, name: 'holding' });
    await bench.submit();
    const idle = await bench.register({ ephemeral: true, name: 'idle' });
    const kept = await bench.register({ name: 'persistent' });
    await clock.advance(45_001);

    const listed = (await bench.rest('GET', '/api/v1/runners')).body as { id: string }[];

    expect(listed.map(({ id }) => id).sort()).toEqual([holding.id, kept.id].sort());
    expect((await bench.rest('GET', `/api/v1/runners/${idle.id}`)).status).toBe(404);
  });

  test('a heartbeat makes a runner ephemeral for good', async () => {
    const runner = await bench.runner();
    await runner.heartbeat({ ephemeral: 'true' });
    expect(bench.plane.store.runners.get(runner.runnerId)?.ephemeral).toBe(0);
    await runner.heartbeat({ ephemeral: true });
    await runner.heartbeat({ ephemeral: false });
    expect(bench.plane.store.runners.get(runner.runnerId)?.ephemeral).toBe(1);
  });

  test('publication readiness is kept in its exact form, and withdrawn by every heartbeat without it', async () => {
    const runner = await bench.runner();
    const ready = { version: 1, helper_ready: true, helper_image: `a/b@sha256:${'0'.repeat(64)}` };
    const stored = async (said: unknown): Promise<unknown> => {
      await runner.heartbeat(said === undefined ? {} : { publication_capabilities: said });
      return bench.plane.store.runners.get(runner.runnerId)?.publication_readiness;
    };
    expect(JSON.parse(String(await stored({ ...ready, more: 1 })))).toEqual(ready);
    for (const unfit of [
      undefined,
      null,
      [],
      { ...ready, version: true },
      { ...ready, helper_ready: 1 },
      { ...ready, helper_image: 'a/b:1' },
      { ...ready, helper_image: `-a@sha256:${'0'.repeat(64)}` },
      { ...ready, helper_image: `${'a'.repeat(1_000)}@sha256:${'0'.repeat(64)}` },
    ]) {
      await stored(ready);
      expect(await stored(unfit), JSON.stringify(unfit)).toBeNull();
    }
  });

  test('conformance 24: null profiles are accepted on register and heartbeat, and clear what was there', async () => {
    const profile = { name: 'cursor', capabilities: ['host_exec', 'cursor_cli'], models: ['auto'] };
    const nothing = await bench.register({ host_exec_profiles: null });
    const row = (id: string): Promise<{ body: unknown }> =>
      bench.rest('GET', `/api/v1/runners/${id}`);
    expect((await row(nothing.id)).body).toMatchObject({
      capabilities: { host_exec_profiles: [] },
    });

    const runner = await bench.runner({ host_exec_profiles: [profile] });
    await runner.ask({ type: 'heartbeat', concurrency: 2 });
    expect((await row(runner.runnerId)).body).toMatchObject({
      capabilities: { host_exec_profiles: [profile] },
    });
    expect(await runner.heartbeat({ host_exec_profiles: null })).toMatchObject({ type: 'ack' });
    expect((await row(runner.runnerId)).body).toMatchObject({
      capabilities: { host_exec_profiles: [] },
    });
  });
});
