/**
 * Finds a Docker engine that answers, as the host itself does; where there is none and this is
 * Debian as root, brings one. Owns what is done by itself and what is asked of the person.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { configuredAddress } from '../../runner-core/docker/configured-endpoint.ts';
import {
  resolveEngine,
  type EngineChoice,
  type EngineFailure,
} from '../../runner-core/docker/docker-endpoint.ts';
import { endpointProbe } from '../../runner-core/docker/endpoint-probe.ts';
import { systemClock } from '../../runner-core/system.ts';
import type { EngineAddress } from '../../runner-core/worker/protocol.ts';
import { installPackages, thisMachine, type Machine } from './debian.ts';
import { cacheDir } from './places.mjs';
import { PrivateEngine } from './private-engine.ts';
import { SetupError, say } from './say.mjs';

/** What to do about an engine that was not found. */
export type Help = 'start_private' | 'install' | 'ask_the_person';

export interface EngineInUse {
  readonly address: EngineAddress;
  /** What a program has to be given to find this engine. */
  readonly environment: Readonly<Record<string, string>>;
  /** Pid of the engine's process where it was started for this command and nobody else uses it now. */
  soleProcess(): Promise<number | undefined>;
  /** Ends the engine if it was started here and nobody else uses it. */
  release(): Promise<void>;
}

/**
 * @param named somebody named the engine (DOCKER_HOST or a context); then only that one will do
 */
export function helpFor(failure: EngineFailure['kind'], named: boolean, machine: Machine): Help {
  if (named || !machine.root) return 'ask_the_person';
  if (failure !== 'not_installed' && failure !== 'not_running') return 'ask_the_person';
  if (machine.dockerd) return 'start_private';
  return machine.debianLike ? 'install' : 'ask_the_person';
}

/** @throws SetupError when there is no engine and none can be brought */
export async function ensureEngine(): Promise<EngineInUse> {
  const probe = endpointProbe();
  const own = new PrivateEngine(join(cacheDir(process.env), 'engine'), systemClock, probe);
  const look = (): Promise<EngineChoice> =>
    resolveEngine(process.env, homedir(), process.platform, probe);

  let found = await look();
  if (found.ok) return inUse(found);
  const { failure } = found;
  const named = await configuredAddress(process.env, homedir(), process.platform, probe);
  let help = helpFor(failure.kind, named.kind !== 'none', thisMachine());
  if (help === 'install') {
    await installPackages('docker.io');
    // Where services run, the package has just started its own engine.
    found = await look();
    if (found.ok) return inUse(found);
    help = 'start_private';
  }
  if (help === 'ask_the_person')
    throw new SetupError(
      `This command needs a Docker engine. ${failure.reason}`,
      `${failure.remedy} Then run the same command again.`,
    );
  await own.use();
  return {
    address: { kind: 'socket', path: own.socket },
    environment: { DOCKER_HOST: `unix://${own.socket}` },
    soleProcess: () => own.soleProcess(),
    release: () => own.release(),
  };
}

function inUse(found: EngineChoice & { ok: true }): EngineInUse {
  say(`Using Docker Engine ${found.engine.version} (${found.why}).`);
  // Every program here looks for the engine by the same rules, so it needs no telling.
  return {
    address: found.address,
    environment: {},
    soleProcess: () => Promise.resolve(undefined),
    release: () => Promise.resolve(),
  };
}
