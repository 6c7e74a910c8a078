/** Jobs of one test on the real engine, by real workers. Fails the test when anything of it is left there. */
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { dockerEngine } from '../../runner-core/docker/dockerode-engine.ts';
import type { DockerEngine } from '../../runner-core/docker/docker-engine.ts';
import { LABEL } from '../../runner-core/docker/labels.ts';
import type { JsonObject } from '../../runner-core/model/json.ts';
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import type {
  DockerLaunchSpec,
  JobLimits,
  RunnerOptions,
  TrustedOption,
} from '../../runner-core/model/job-spec.ts';
import type { Leftover } from '../../runner-core/model/leftover.ts';
import type { StopCause } from '../../runner-core/model/outcome.ts';
import { containerEnvironment } from '../../runner-core/wire/launch.ts';
import type { EngineAddress, JobContext } from '../../runner-core/worker/protocol.ts';
import { dockerSpec, jobPayload } from './builders.ts';
import { tempDir } from './temp-dir.ts';
import { WorkerUnderTest, type WorkerUnderTestOptions } from './worker-under-test.ts';

export const TEST_IMAGE = 'preloop-runner-host-test:bookworm';
/** The engine the Docker program of this process talks to. */
export const ADDRESS: EngineAddress = {
  kind: 'socket',
  path: (process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock').replace('unix://', ''),
};

export interface TestJob {
  readonly script: string;
  readonly image?: string;
  readonly env?: JsonObject;
  readonly options?: Partial<RunnerOptions>;
  readonly limits?: Partial<JobLimits>;
  readonly allowed?: readonly TrustedOption[];
  readonly jobId?: JobId;
  readonly resumeFrom?: JobId;
  readonly workspacesDir?: string;
}

/** The output of a command of the Docker program. */
export async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('docker', [...args]);
  return stdout.trim();
}

export function newJobId(): JobId {
  return toJobId(randomUUID()) ?? expect.unreachable();
}

/** A name that no other test has, for things of the test's own. */
export const ownName = (what: string): string =>
  `preloop-workertest-${what}-${randomBytes(4).toString('hex')}`;

/** An image of the test's own, made of the test image with these changes. */
export async function ownImage(what: string, ...changes: readonly string[]): Promise<string> {
  const name = `${ownName(what)}:latest`;
  const container = await docker('create', TEST_IMAGE, 'true');
  await docker('commit', ...changes.flatMap((change) => ['--change', change]), container, name);
  await docker('rm', container);
  onTestFinished(() => docker('rmi', '--force', name).then(() => undefined));
  return name;
}

export class DockerBench {
  readonly engine: DockerEngine = dockerEngine(ADDRESS);
  readonly runnerId = randomUUID();

  constructor() {
    onTestFinished(async () => {
      const ours = { [LABEL.runner]: this.runnerId };
      const containers = await this.engine.containers(ours);
      const networks = await this.engine.networks(ours);
      for (const { id } of containers) await this.engine.removeContainer(id);
      for (const { id } of networks) await this.engine.removeNetwork(id);
      this.engine.close();
      expect({ containers, networks }).toEqual({ containers: [], networks: [] });
    });
  }

  /** A worker that carries out the job. */
  run(job: TestJob, worker: WorkerUnderTestOptions = {}): WorkerUnderTest {
    const taker = new WorkerUnderTest(worker);
    const spec = this.spec(job);
    const payload = jobPayload(1, {
      execution_id: spec.jobId,
      launch: { version: 1, script: job.script, env: job.env ?? {} },
    });
    taker.send({
      kind: 'run',
      spec,
      environment: containerEnvironment(payload, 'https://control.example.test'),
      context: this.context(job),
      mayBeMade: false,
    });
    return taker;
  }

  /** A worker that takes up a container where `before` left it. */
  adopt(
    job: TestJob,
    container: Leftover & { kind: 'container' },
    position: ReturnType<WorkerUnderTest['position']>,
    stopCause: StopCause | null = null,
  ): WorkerUnderTest {
    const taker = new WorkerUnderTest();
    taker.send({
      kind: 'adopt',
      spec: this.spec(job),
      context: this.context(job),
      container,
      stopCause,
      ...position,
    });
    return taker;
  }

  spec(job: TestJob): DockerLaunchSpec {
    const base = dockerSpec(1);
    return {
      ...base,
      jobId: job.jobId ?? newJobId(),
      image: job.image ?? TEST_IMAGE,
      options: { ...base.options, ...job.options },
      resumeFrom: job.resumeFrom ?? null,
    };
  }

  context(job: TestJob): JobContext {
    return {
      runnerId: this.runnerId,
      hostInstance: 'test-host',
      limits: {
        memoryBytes: null,
        cpus: null,
        pids: null,
        timeLimitMs: 60_000,
        logBytes: 1_000_000,
        ...job.limits,
      },
      allowed: job.allowed ?? [],
      engine: ADDRESS,
      identity: null,
      workspacesDir: job.workspacesDir ?? tempDir(),
    };
  }
}

/** The container that a worker told of. */
export async function containerOf(
  worker: WorkerUnderTest,
): Promise<Leftover & { kind: 'container' }> {
  const { leftover } = await worker.message('made', (made) => made.leftover.kind === 'container');
  return leftover.kind === 'container' ? leftover : expect.unreachable();
}
