/** A plane on a folder of its own, with what a test needs to talk to it. Every one made is to be closed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Behaviour } from '../../control-plane/plane-parts.ts';
import { createPlane, type Plane, type PlaneOptions } from '../../control-plane/plane.ts';
import type { Clock, Log } from '../../runner-core/ports.ts';
import { RawRunner } from './raw-runner.ts';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; read it with the narrowing a test needs. */
  readonly body: unknown;
}

/** An object whose fields a test reads without a schema. */
export type Loose = Readonly<Record<string, unknown>>;

export interface PlaneUnderTestOptions {
  readonly clock?: Clock;
  readonly behaviour?: Behaviour;
  readonly budgetSeconds?: number;
  readonly log?: Log;
  /** An existing folder, kept on close; by default a fresh one, removed on close. */
  readonly dataDir?: string;
}

export interface PlaneUnderTest {
  readonly plane: Plane;
  readonly url: string;
  /** The owner's, for REST. */
  readonly token: string;
  readonly dataDir: string;
  /** One REST call with the owner's token. */
  rest(method: string, path: string, body?: unknown): Promise<RestAnswer>;
  /** Submits a job, by default a small Docker one; returns the execution. Throws unless 201. */
  submit(definition?: Loose): Promise<Loose>;
  execution(id: unknown): Promise<Loose>;
  /** Registers a runner and returns its row with its token. Throws unless 200. */
  register(fields?: Loose): Promise<{ readonly id: string; readonly token: string }>;
  /** Registers, connects and reads `hello`. */
  runner(fields?: Loose): Promise<RawRunner>;
  connect(identity: { readonly id: string; readonly token: string }): Promise<RawRunner>;
  /** Closes the plane and opens another one on the same folder, with another port. */
  restart(): Promise<PlaneUnderTest>;
  close(): Promise<void>;
}

export const SMALL_JOB: Loose = {
  name: 'small',
  agent_type: 'codex',
  image: 'example.test/image:1',
  script: 'echo hello',
};

export async function planeUnderTest(options: PlaneUnderTestOptions = {}): Promise<PlaneUnderTest> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'plane-under-test-')));
  const planeOptions: PlaneOptions = { ...options, dataDir };
  const plane = await createPlane(planeOptions);
  const runners: RawRunner[] = [];

  async function rest(method: string, path: string, body?: unknown): Promise<RestAnswer> {
    const response = await fetch(plane.url + path, {
      method,
      headers: { authorization: `Bearer ${plane.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }
  async function expectRest(status: number, method: string, path: string, body?: unknown) {
    const answer = await rest(method, path, body);
    if (answer.status !== status) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body as Loose;
  }
  async function register(fields: Loose = {}): Promise<{ id: string; token: string }> {
    const row = await expectRest(200, 'POST', '/api/v1/runners/register', {
      concurrency: 2,
      ...fields,
    });
    return { id: String(row['id']), token: String(row['token']) };
  }
  async function connect(identity: { id: string; token: string }): Promise<RawRunner> {
    const runner = await RawRunner.connect(plane.url, identity.id, identity.token);
    runners.push(runner);
    return runner;
  }
  async function closeConnections(): Promise<void> {
    for (const runner of runners) await runner.close();
    await plane.close();
  }
  return {
    plane,
    url: plane.url,
    token: plane.token,
    dataDir,
    rest,
    submit: (definition = SMALL_JOB) =>
      expectRest(201, 'POST', '/api/v1/flows/executions', definition),
    execution: (id) => expectRest(200, 'GET', `/api/v1/flows/executions/${String(id)}`),
    register,
    connect,
    async runner(fields) {
      const runner = await connect(await register(fields));
      runner.hello = await runner.nextOf('hello');
      return runner;
    },
    async restart() {
      await closeConnections();
      const again = await planeUnderTest({ ...options, dataDir });
      if (options.dataDir !== undefined) return again;
      return { ...again, close: () => again.close().then(() => removeFolder(dataDir)) };
    },
    async close() {
      await closeConnections();
      if (options.dataDir === undefined) await removeFolder(dataDir);
    },
  };
}

function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}
