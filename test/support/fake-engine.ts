/** A scripted DockerEngine: keeps images, containers and networks in memory, and what was asked of it. */
import { Readable } from 'node:stream';
import {
  EngineError,
  type ContainerInfo,
  type ContainerUsage,
  type CreateBody,
  type DockerEngine,
  type EngineErrorKind,
  type EngineVersion,
  type ImageInfo,
  type ListedContainer,
  type NetworkInfo,
  type PullOptions,
} from '../../runner-core/docker/docker-engine.ts';

type Call = keyof DockerEngine;

interface FakeContainer {
  readonly body: CreateBody;
  info: ContainerInfo;
  readonly exited: PromiseWithResolvers<number>;
  readonly log: Readable[];
  readonly frames: Buffer[];
}

/** One line as the engine frames it: source, length, timestamp, text. */
export function logFrame(text: string, source: 1 | 2 = 1, second = 1): Buffer {
  const stamp = `2026-01-01T00:00:${second.toString().padStart(2, '0')}.000000001Z`;
  const payload = Buffer.from(`${stamp} ${text}\n`);
  const header = Buffer.alloc(8);
  header[0] = source;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

export class FakeEngine implements DockerEngine {
  /** `startContainer 0001…` and so on, in order. */
  readonly calls: string[] = [];
  readonly images = new Map<string, ImageInfo>([
    ['debian:bookworm', { id: 'sha256:image', environment: [] }],
  ]);
  networkList: NetworkInfo[] = [];
  readonly volumeLabels = new Map<string, Readonly<Record<string, string>>>();
  readonly made = new Map<string, FakeContainer>();
  /** How the next pulls go; by default the image is there afterwards. */
  onPull: (reference: string, options: PullOptions) => Promise<void> = (reference) => {
    this.images.set(reference, { id: 'sha256:pulled', environment: [] });
    return Promise.resolve();
  };
  /** What a container does with a signal; by default it exits as a process without handlers does. */
  onSignal: (id: string, signal: 'SIGTERM' | 'SIGKILL') => void = (id, signal) =>
    this.exit(id, signal === 'SIGTERM' ? 143 : 137);
  /** Signals are answered when this is resolved. */
  signalled: Promise<unknown> = Promise.resolve();
  startedAtMs: number | null = 0;
  /** What it says of itself. */
  ownId: string | null = 'ENGINE-1';
  /** What each running container uses at the next look. */
  uses: ContainerUsage = { memoryBytes: 1_048_576, cpuMs: 10 };
  #lastId = 0;
  #failures = new Map<Call, EngineError>();
  #happened = new Map<Call, PromiseWithResolvers<undefined>>();

  /** The next call of this name fails so. */
  failNext(call: Call, kind: EngineErrorKind, message: string, statusCode: number | null): void {
    this.#failures.set(call, new EngineError({ statusCode, kind }, message));
  }

  /** Resolves when `call` is next made. */
  happened(call: Call): Promise<undefined> {
    const waiting = this.#happened.get(call) ?? Promise.withResolvers<undefined>();
    this.#happened.set(call, waiting);
    return waiting.promise;
  }

  /** Prints one line in a container; followers see it. */
  print(id: string, text: string): void {
    const container = this.#container(id);
    const frame = logFrame(text, 1, container.frames.length + 1);
    container.frames.push(frame);
    for (const stream of container.log) stream.push(frame);
  }

  exit(id: string, exitCode: number, oomKilled = false): void {
    const container = this.#container(id);
    if (!container.info.running) return;
    container.info = { ...container.info, running: false, status: 'exited', exitCode, oomKilled };
    for (const stream of container.log.splice(0)) stream.push(null);
    container.exited.resolve(exitCode);
  }

  version(): Promise<EngineVersion> {
    this.#note('version');
    return Promise.resolve({ version: '20.10.24', apiVersion: '1.41', os: 'linux', arch: 'amd64' });
  }

  engineId(): Promise<string | null> {
    this.#note('engineId');
    return Promise.resolve(this.ownId);
  }

  async image(reference: string): Promise<ImageInfo | undefined> {
    this.#note('image', reference);
    return Promise.resolve(this.images.get(reference));
  }

  async pull(reference: string, options: PullOptions): Promise<void> {
    this.#note('pull', reference);
    await this.onPull(reference, options);
  }

  async createContainer(name: string, body: CreateBody): Promise<string> {
    this.#note('createContainer', name);
    const { NetworkMode: networkMode } = body.HostConfig;
    const id = (++this.#lastId).toString(16).padStart(64, '0');
    this.made.set(id, {
      body,
      info: {
        id,
        name,
        imageId: 'sha256:image',
        labels: body.Labels,
        environment: body.Env,
        status: 'created',
        running: false,
        exitCode: 0,
        oomKilled: false,
        networkMode: typeof networkMode === 'string' ? networkMode : 'default',
        startedAtMs: null,
      },
      exited: Promise.withResolvers(),
      log: [],
      frames: [],
    });
    return Promise.resolve(id);
  }

  async startContainer(id: string): Promise<void> {
    this.#note('startContainer', id);
    const container = this.#container(id);
    const { startedAtMs } = this;
    container.info = { ...container.info, running: true, status: 'running', startedAtMs };
    return Promise.resolve();
  }

  async signalContainer(id: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#note('signalContainer', `${signal} ${id}`);
    this.onSignal(id, signal);
    await this.signalled;
  }

  async wait(id: string): Promise<number> {
    this.#note('wait', id);
    const container = this.#container(id);
    return container.info.running ? container.exited.promise : container.info.exitCode;
  }

  async container(id: string): Promise<ContainerInfo | undefined> {
    this.#note('container', id);
    return Promise.resolve(this.made.get(id)?.info);
  }

  async usage(id: string): Promise<ContainerUsage | undefined> {
    this.#note('usage', id);
    const runs = this.made.get(id)?.info.running;
    if (runs === undefined) return Promise.resolve(undefined);
    return Promise.resolve(runs ? this.uses : { memoryBytes: null, cpuMs: null });
  }

  async removeContainer(id: string): Promise<void> {
    this.#note('removeContainer', id);
    const container = this.made.get(id);
    for (const stream of container?.log.splice(0) ?? []) stream.push(null);
    container?.exited.resolve(137);
    this.made.delete(id);
    return Promise.resolve();
  }

  async containers(labels: Readonly<Record<string, string>>): Promise<readonly ListedContainer[]> {
    this.#note('containers');
    const all = [...this.made.values()].map(({ info }) => info);
    return Promise.resolve(all.filter((info) => carries(info.labels, labels)));
  }

  async logStream(id: string): Promise<Readable> {
    this.#note('logStream', id);
    const container = this.#container(id);
    const stream = new Readable({ read: () => undefined });
    for (const frame of container.frames) stream.push(frame);
    if (container.info.running) container.log.push(stream);
    else stream.push(null);
    return Promise.resolve(stream);
  }

  async network(id: string): Promise<NetworkInfo | undefined> {
    this.#note('network', id);
    return Promise.resolve(this.networkList.find((network) => network.id === id));
  }

  async networksNamed(name: string): Promise<readonly NetworkInfo[]> {
    this.#note('networksNamed', name);
    const named = this.networkList.filter((network) => network.name === name);
    return Promise.resolve(named.sort((a, b) => (a.id < b.id ? -1 : 1)));
  }

  async createNetwork(name: string, labels: Readonly<Record<string, string>>): Promise<string> {
    this.#note('createNetwork', name);
    const id = `${name}-${this.calls.filter((call) => call === `createNetwork ${name}`).length}`;
    this.networkList.push({ id, name, labels, containers: [] });
    return Promise.resolve(id);
  }

  async leaveNetwork(networkId: string, containerId: string): Promise<void> {
    this.#note('leaveNetwork', `${networkId} ${containerId}`);
    return Promise.resolve();
  }

  async removeNetwork(id: string): Promise<void> {
    this.#note('removeNetwork', id);
    this.networkList = this.networkList.filter((network) => network.id !== id);
    return Promise.resolve();
  }

  async networks(labels: Readonly<Record<string, string>>): Promise<readonly NetworkInfo[]> {
    this.#note('networks');
    return Promise.resolve(this.networkList.filter((network) => carries(network.labels, labels)));
  }

  async volumes(labels: Readonly<Record<string, string>>): Promise<readonly string[]> {
    this.#note('volumes');
    const all = [...this.volumeLabels].filter(([, carried]) => carries(carried, labels));
    return Promise.resolve(all.map(([name]) => name));
  }

  async removeVolume(name: string): Promise<void> {
    this.#note('removeVolume', name);
    this.volumeLabels.delete(name);
    return Promise.resolve();
  }

  close(): void {
    this.calls.push('close');
  }

  #container(id: string): FakeContainer {
    const container = this.made.get(id);
    if (container === undefined)
      throw new EngineError({ statusCode: 404, kind: 'not_found' }, 'No such container');
    return container;
  }

  #note(call: Call, what = ''): void {
    this.calls.push(`${call} ${what}`.trim());
    this.#happened.get(call)?.resolve(undefined);
    this.#happened.delete(call);
    const failure = this.#failures.get(call);
    this.#failures.delete(call);
    if (failure !== undefined) throw failure;
  }
}

function carries(
  carried: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([name, value]) => carried[name] === value);
}
