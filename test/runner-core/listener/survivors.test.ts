/** What carries our labels and no store holds: all of it is taken up with its job, or removed. */
import { expect, test } from 'vitest';
import type { JobId } from '../../../runner-core/model/ids.ts';
import type { Leftover } from '../../../runner-core/model/leftover.ts';
import { composeProjectName } from '../../../runner-core/wire/launch.ts';
import { containerOf, jobIdOf, jobPayload, SUCCEEDED } from '../../support/builders.ts';
import { benchOf, JOB, LAUNCHED, storeAfter } from '../../support/job-bench.ts';

const FOUND = { leftover: containerOf(1), jobId: JOB, running: true };
const NETWORK = { kind: 'network', id: 'n1', name: 'shared' } as const;

test('what nobody claims is removed and listed', async () => {
  const listed: [JobId, Leftover][] = [];
  const bench = benchOf({
    deps: {
      kept: {
        keep: () => false,
        isKept: () => false,
        noteUnclaimed: (jobId, leftover) => void listed.push([jobId, leftover]),
      },
    },
  });
  const project = { kind: 'compose_project', name: composeProjectName(JOB) } as const;
  bench.remover.containers = [
    FOUND,
    { leftover: project, jobId: JOB },
    { leftover: NETWORK, jobId: JOB },
  ];
  bench.remover.onRemove = ({ name }) => {
    bench.remover.containers = bench.remover.containers.filter(
      ({ leftover }) => leftover.name !== name,
    );
  };
  await bench.start();
  expect(bench.remover.removed).toEqual([containerOf(1), project, NETWORK]);
  expect(listed).toEqual([
    [JOB, containerOf(1)],
    [JOB, project],
    [JOB, NETWORK],
  ]);
});

test('the network and the compose project of an adopted job are noted with it, and go with it', async () => {
  const bench = benchOf();
  bench.remover.containers = [FOUND, { leftover: NETWORK, jobId: jobIdOf(9) }];
  bench.plane.hello = {
    jobs: [
      jobPayload(1, {
        agent_config: {
          image: 'debian:bookworm',
          runner: { network: 'shared', mount_docker_socket: true },
        },
      }),
    ],
  };
  await bench.start();
  const project = { kind: 'compose_project', name: composeProjectName(JOB) } as const;
  expect(bench.store.leftovers(JOB)).toEqual([project, NETWORK, containerOf(1)]);
  expect(bench.remover.removed).toEqual([]);
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  expect(bench.remover.removed).toHaveLength(3);
  expect(bench.remover.removed.at(-1)).toEqual(NETWORK);
});

test('a network that a held job has noted is left alone, whoever made it', async () => {
  const store = storeAfter([LAUNCHED, { kind: 'started', atMs: 0 }], true);
  store.noteLeftover(JOB, NETWORK);
  const bench = benchOf({ store });
  bench.remover.containers = [FOUND, { leftover: NETWORK, jobId: jobIdOf(9) }];
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  expect(bench.remover.removed).toEqual([]);
});

test('of several containers the one that runs is adopted, also by a second worker', async () => {
  const bench = benchOf();
  bench.remover.containers = [
    FOUND,
    { leftover: containerOf(2), jobId: JOB, running: false },
    { leftover: containerOf(3), jobId: JOB, running: false },
  ];
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  bench.launcher.worker.exit({ code: 1 });
  await bench.settle();
  expect(bench.launcher.workers.map((worker) => worker.receivedOf('adopt')[0]?.container)).toEqual([
    containerOf(1),
    containerOf(1),
  ]);
});
