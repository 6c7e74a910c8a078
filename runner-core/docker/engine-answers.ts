/**
 * Reads what an engine answers. By hand and lenient: engines differ in what they leave out, and the
 * worker that uses this stays small without a schema library. Only an id that is missing is an error.
 */
import { isJsonObject } from '../model/json.ts';
import {
  EngineError,
  type ContainerInfo,
  type ContainerUsage,
  type EngineVersion,
  type ImageInfo,
  type ListedContainer,
  type NetworkInfo,
} from './docker-engine.ts';

type Answer = Readonly<Record<string, unknown>>;

const objectIn = (value: unknown): Answer => (isJsonObject(value) ? value : {});
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textsIn = (value: unknown): readonly string[] => listIn(value).map(textIn);

function textMapIn(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectIn(value)).map(([name, text]) => [name, textIn(text)]),
  );
}

/** The id in an answer that must have one. */
export function idIn(value: unknown): string {
  const id = textIn(objectIn(value)['Id']);
  if (id === '') {
    throw new EngineError(
      { statusCode: 200, kind: 'refused' },
      'the engine answered without an id',
    );
  }
  return id;
}

export function readVersion(value: unknown): EngineVersion {
  const answer = objectIn(value);
  return {
    version: textIn(answer['Version']),
    apiVersion: textIn(answer['ApiVersion']),
    os: textIn(answer['Os']),
    arch: textIn(answer['Arch']),
  };
}

/** From what `/info` answers. */
export function readEngineId(value: unknown): string | null {
  return textIn(objectIn(value)['ID']) || null;
}

export function readImage(value: unknown): ImageInfo {
  return { id: idIn(value), environment: textsIn(objectIn(objectIn(value)['Config'])['Env']) };
}

export function readContainer(value: unknown): ContainerInfo {
  const answer = objectIn(value);
  const config = objectIn(answer['Config']);
  const state = objectIn(answer['State']);
  const startedAtMs = Date.parse(textIn(state['StartedAt']));
  return {
    id: idIn(value),
    name: textIn(answer['Name']).replace(/^\//, ''),
    imageId: textIn(answer['Image']),
    labels: textMapIn(config['Labels']),
    environment: textsIn(config['Env']),
    status: textIn(state['Status']),
    running: state['Running'] === true,
    exitCode: typeof state['ExitCode'] === 'number' ? state['ExitCode'] : 0,
    oomKilled: state['OOMKilled'] === true,
    networkMode: textIn(objectIn(answer['HostConfig'])['NetworkMode']),
    // Year 1 stands for "never".
    startedAtMs: startedAtMs > 0 ? startedAtMs : null,
  };
}

export function readUsage(value: unknown): ContainerUsage {
  const answer = objectIn(value);
  const memory = objectIn(answer['memory_stats']);
  const detail = objectIn(memory['stats']);
  const used = numberIn(memory['usage']);
  // The first name is that of cgroup v1, the second that of v2.
  const cache = numberIn(detail['total_inactive_file']) ?? numberIn(detail['inactive_file']) ?? 0;
  const cpuNs = numberIn(objectIn(objectIn(answer['cpu_stats'])['cpu_usage'])['total_usage']);
  return {
    memoryBytes: used === null || used === 0 ? null : Math.max(0, used - cache),
    cpuMs: cpuNs === null || cpuNs === 0 ? null : Math.round(cpuNs / 1e6),
  };
}

export function readContainers(value: unknown): readonly ListedContainer[] {
  return listIn(value).map((entry) => {
    const answer = objectIn(entry);
    return {
      id: idIn(entry),
      name: (textsIn(answer['Names'])[0] ?? '').replace(/^\//, ''),
      running: ['running', 'paused', 'restarting'].includes(textIn(answer['State'])),
      labels: textMapIn(answer['Labels']),
    };
  });
}

export function readNetwork(value: unknown): NetworkInfo {
  const answer = objectIn(value);
  return {
    id: idIn(value),
    name: textIn(answer['Name']),
    labels: textMapIn(answer['Labels']),
    containers: Object.keys(objectIn(answer['Containers'])),
  };
}

export function readNetworks(value: unknown): readonly NetworkInfo[] {
  return listIn(value).map(readNetwork);
}

export function readVolumeNames(value: unknown): readonly string[] {
  return listIn(objectIn(value)['Volumes']).map((volume) => textIn(objectIn(volume)['Name']));
}

/** The code of a wait that ended. */
export function readExitCode(value: unknown): number {
  const code = objectIn(value)['StatusCode'];
  if (typeof code !== 'number') {
    throw new EngineError({ statusCode: 200, kind: 'away' }, 'the wait ended without an exit code');
  }
  return code;
}
