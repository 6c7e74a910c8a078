/** Where the service's record says a runner was registered, at the embedded plane. */
import { onTestFinished, expect, test } from 'vitest';
import { recordedHostname } from '../../../main/control-plane/runner-record.ts';
import { NetworkError } from '../../../runner-core/model/network-problem.ts';
import { toRunnerId, type RunnerId } from '../../../runner-core/model/ids.ts';
import { systemClock } from '../../../runner-core/system.ts';
import { planeUnderTest } from '../../support/plane-under-test.ts';
import { serviceRoute } from '../../support/service-route.ts';

const route = serviceRoute(systemClock);

function runnerIdOf(text: string): RunnerId {
  const runnerId = toRunnerId(text);
  if (runnerId === undefined) throw new Error(text);
  return runnerId;
}

test('the record names the machine the runner last registered from, to its owner alone', async () => {
  const plane = await planeUnderTest();
  onTestFinished(() => plane.close());
  const { id } = await plane.register({ hostname: 'build-box-3' });
  const runnerId = runnerIdOf(id);
  const nameless = runnerIdOf((await plane.register()).id);
  expect(await recordedHostname(route, plane.url, plane.token, runnerId)).toBe('build-box-3');
  expect(await recordedHostname(route, plane.url, plane.token, nameless)).toBeNull();
  expect(await recordedHostname(route, plane.url, 'not the owner', runnerId)).toBeNull();
});

test('a service that is away rejects as what it is', async () => {
  const asked = recordedHostname(
    route,
    'http://127.0.0.1:9',
    'token',
    runnerIdOf('9a1de0f4-52b7-4b1c-8e7e-3c0a4f2f7d11'),
  );
  await expect(asked).rejects.toBeInstanceOf(NetworkError);
});
