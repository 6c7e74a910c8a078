/** DockerEngine over dockerode's transport: which path, query, body and time limit each call has. */
import type { Readable } from 'node:stream';
import type { Clock } from '../ports.ts';
import { systemClock } from '../system.ts';
import type { EngineAddress } from '../worker/protocol.ts';
import {
  isEngineError,
  type ContainerInfo,
  type ContainerUsage,
  type CreateBody,
  type DockerEngine,
  type EngineVersion,
  type ImageInfo,
  type ListedContainer,
  type LogRequest,
  type NetworkInfo,
  type PullOptions,
} from './docker-engine.ts';
import * as answers from './engine-answers.ts';
import { EngineCaller, type EngineCall } from './engine-calls.ts';
import { splitImageReference } from './image-reference.ts';
import { pullFailure, readPullStream } from './pull-stream.ts';

/** How long an engine may take, per kind of call. A busy engine removes and creates slowly. */
const LIMIT_MS = { look: 10_000, signal: 15_000, make: 60_000, remove: 60_000, head: 60_000 };

/** The engine at `address`. No connection is opened before the first call. */
export function dockerEngine(address: EngineAddress, clock: Clock = systemClock): DockerEngine {
  return new DockerodeEngine(new EngineCaller(address, clock));
}

export class DockerodeEngine implements DockerEngine {
  readonly #caller: EngineCaller;

  constructor(caller: EngineCaller) {
    this.#caller = caller;
  }

  async version(): Promise<EngineVersion> {
    return answers.readVersion(await this.#look('/version'));
  }

  async engineId(): Promise<string | null> {
    return answers.readEngineId(await this.#look('/info'));
  }

  async image(reference: string): Promise<ImageInfo | undefined> {
    // A reference goes into the path as it is: the engine does not decode %2F there.
    const path = `/images/${encodeURI(reference).replaceAll('?', '%3F').replaceAll('#', '%23')}/json`;
    const found = await orUndefined(this.#look(path));
    return found === undefined ? undefined : answers.readImage(found);
  }

  async pull(reference: string, { credentials, progress, signal }: PullOptions): Promise<void> {
    const { name, tag } = splitImageReference(reference);
    const query = new URLSearchParams({ fromImage: name, tag });
    try {
      const stream = await this.#caller.stream({
        method: 'POST',
        path: `/images/create?${query.toString()}`,
        ...(credentials === null ? {} : { credentials }),
        timeoutMs: null,
        signal,
        expect: [200],
      });
      await readPullStream(stream, progress);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!isEngineError(error)) throw pullFailure('the connection to the engine was lost');
      throw error.statusCode === null ? error : pullFailure(error.message, error.statusCode);
    }
  }

  async createContainer(name: string, body: CreateBody): Promise<string> {
    const path = `/containers/create?name=${encodeURIComponent(name)}`;
    return answers.idIn(await this.#post(path, [201], LIMIT_MS.make, body));
  }

  async startContainer(id: string): Promise<void> {
    await this.#post(`/containers/${id}/start`, [204, 304], LIMIT_MS.make);
  }

  async signalContainer(id: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const path = `/containers/${id}/kill?signal=${signal}`;
    // 409: it is not running, which is what a signal is for.
    await settled(this.#post(path, [204], LIMIT_MS.signal), 'not_found', 'conflict');
  }

  async wait(id: string): Promise<number> {
    const path = `/containers/${id}/wait`;
    const call = { method: 'POST', path, timeoutMs: null, expect: [200] } as const;
    return answers.readExitCode(await this.#caller.json(call));
  }

  async container(id: string): Promise<ContainerInfo | undefined> {
    const found = await orUndefined(this.#look(`/containers/${id}/json`));
    return found === undefined ? undefined : answers.readContainer(found);
  }

  async usage(id: string): Promise<ContainerUsage | undefined> {
    // Without one-shot the engine looks twice, a second apart.
    const found = await orUndefined(
      this.#look(`/containers/${id}/stats?stream=false&one-shot=true`),
    );
    return found === undefined ? undefined : answers.readUsage(found);
  }

  async removeContainer(id: string): Promise<void> {
    await settled(this.#remove(`/containers/${id}?force=1&v=1`), 'not_found');
  }

  async containers(labels: Readonly<Record<string, string>>): Promise<readonly ListedContainer[]> {
    return answers.readContainers(
      await this.#look(`/containers/json?all=1&filters=${labelFilter(labels)}`),
    );
  }

  logStream(id: string, request: LogRequest, signal: AbortSignal): Promise<Readable> {
    const { since, tail } = request;
    const query = [
      'stdout=1&stderr=1&timestamps=1&follow=1',
      ...(since === null ? [] : [`since=${encodeURIComponent(since)}`]),
      ...(tail === undefined ? [] : [`tail=${tail}`]),
    ].join('&');
    return this.#caller.plainStream({
      method: 'GET',
      path: `/containers/${id}/logs?${query}`,
      timeoutMs: LIMIT_MS.head,
      signal,
      expect: [200],
    });
  }

  async network(id: string): Promise<NetworkInfo | undefined> {
    const found = await orUndefined(this.#look(`/networks/${encodeURIComponent(id)}`));
    return found === undefined ? undefined : answers.readNetwork(found);
  }

  async networksNamed(name: string): Promise<readonly NetworkInfo[]> {
    // The engine's filter also takes names that only contain this one.
    const filter = encodeURIComponent(JSON.stringify({ name: [name] }));
    const found = answers.readNetworks(await this.#look(`/networks?filters=${filter}`));
    return found.filter((network) => network.name === name).sort(byId);
  }

  async createNetwork(name: string, labels: Readonly<Record<string, string>>): Promise<string> {
    const body = { Name: name, CheckDuplicate: true, Driver: 'bridge', Labels: labels };
    return answers.idIn(await this.#post('/networks/create', [201], LIMIT_MS.make, body));
  }

  async leaveNetwork(networkId: string, containerId: string): Promise<void> {
    const body = { Container: containerId, Force: true };
    const path = `/networks/${networkId}/disconnect`;
    await settled(this.#post(path, [200], LIMIT_MS.make, body), 'not_found', 'conflict');
  }

  async removeNetwork(id: string): Promise<void> {
    await settled(this.#remove(`/networks/${id}`), 'not_found');
  }

  async networks(labels: Readonly<Record<string, string>>): Promise<readonly NetworkInfo[]> {
    return answers.readNetworks(await this.#look(`/networks?filters=${labelFilter(labels)}`));
  }

  async volumes(labels: Readonly<Record<string, string>>): Promise<readonly string[]> {
    return answers.readVolumeNames(await this.#look(`/volumes?filters=${labelFilter(labels)}`));
  }

  async removeVolume(name: string): Promise<void> {
    await settled(this.#remove(`/volumes/${encodeURIComponent(name)}?force=1`), 'not_found');
  }

  close(): void {
    this.#caller.close();
  }

  #look(path: string): Promise<unknown> {
    return this.#caller.json({ method: 'GET', path, timeoutMs: LIMIT_MS.look, expect: [200] });
  }

  #post(
    path: string,
    expect: readonly number[],
    timeoutMs: number,
    body?: object,
  ): Promise<unknown> {
    const call: EngineCall = { method: 'POST', path, timeoutMs, expect };
    return this.#caller.json(body === undefined ? call : { ...call, body });
  }

  #remove(path: string): Promise<unknown> {
    const { remove: timeoutMs } = LIMIT_MS;
    return this.#caller.json({ method: 'DELETE', path, timeoutMs, expect: [200, 204] });
  }
}

function byId(a: NetworkInfo, b: NetworkInfo): number {
  return a.id < b.id ? -1 : 1;
}

function labelFilter(labels: Readonly<Record<string, string>>): string {
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return encodeURIComponent(JSON.stringify({ label }));
}

async function orUndefined(look: Promise<unknown>): Promise<unknown> {
  try {
    return await look;
  } catch (error) {
    if (isEngineError(error, 'not_found')) return undefined;
    throw error;
  }
}

/** Waits for a call whose failure of these kinds means that there was nothing left to do. */
async function settled(
  call: Promise<unknown>,
  ...kinds: ('not_found' | 'conflict')[]
): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isEngineError(error, ...kinds)) throw error;
  }
}
