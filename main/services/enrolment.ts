/**
 * Makes this machine a runner of a service, or says why it is not one. Owns the identity in our data
 * folder, kept per server. REST is called only to enrol, to enrol again, or when the owner changed name
 * or labels, because every such call rotates the token and ends a socket that is open elsewhere.
 */
import { createHash } from 'node:crypto';
import type { RunnerId } from '../../runner-core/model/ids.ts';
import type { Log, RunnerIdentity } from '../../runner-core/ports.ts';
import type { ServiceRoute } from '../control-plane/service-route.ts';
import { register, type NotRegistered, type Registered } from '../control-plane/registration.ts';
import type { CredentialVault } from '../secrets/credential-vault.ts';
import type { KnownIdentity, SettingsStore } from '../store/settings-store.ts';

export interface EnrolmentDeps {
  readonly store: Pick<SettingsStore, 'identity' | 'keepIdentity'>;
  readonly vault: Pick<CredentialVault, 'token' | 'runnerId' | 'keepRunner'>;
  readonly log: Log;
  readonly route: ServiceRoute;
}

export interface EnrolmentRequest {
  /** `embedded` or the server's base address. */
  readonly serverKey: string;
  readonly serverUrl: string;
  readonly ownerToken: string | null;
  readonly name: string | null;
  readonly labels: readonly string[] | null;
  readonly concurrency: number;
  readonly mode: 'again' | 'new' | null;
  /** For one stay: never resumed by registering, only dialled again while something is left to report. */
  readonly ephemeral?: boolean;
  readonly machine: { readonly hostname: string; readonly os: string; readonly arch: string };
}

export type Enrolled =
  | { readonly ok: true; readonly identity: RunnerIdentity }
  | {
      readonly ok: false;
      readonly problem: string;
      readonly remedy: string;
      /** True where trying again later may succeed without the owner doing anything. */
      readonly retryable: boolean;
    };

export class Enrolment {
  readonly #deps: EnrolmentDeps;

  constructor(deps: EnrolmentDeps) {
    this.#deps = deps;
  }

  /** The identity to dial with where nobody has to be called, else undefined. */
  stored(request: EnrolmentRequest): RunnerIdentity | undefined {
    const known = request.mode === null ? this.#known(request) : undefined;
    const token = this.#deps.vault.token(request.serverKey, 'runner');
    if (known === undefined || token === undefined) return undefined;
    const wishes = wishesOf(request);
    if (wishes !== null && wishes !== known.labelsHash) return undefined;
    return { runnerId: known.runnerId, token, name: known.name };
  }

  /**
   * The runner this machine is, or is to be again, whatever has to be told to the service first: its labels are on
   * what an earlier host left in the engine. Undefined for a new one.
   */
  knownRunner(request: EnrolmentRequest): RunnerId | undefined {
    return request.mode === 'new' ? undefined : this.#known(request)?.runnerId;
  }

  /** The identity to dial with. Calls the service only where the header says so. */
  async identity(request: EnrolmentRequest): Promise<Enrolled> {
    const { vault, log } = this.#deps;
    const identity = this.stored(request);
    if (identity !== undefined) return { ok: true, identity };
    const known = request.mode === 'new' ? undefined : this.#known(request);
    if (known === undefined) return this.#enrol(request, null);
    const token = vault.token(request.serverKey, 'runner');
    if (token === undefined || request.mode === 'again')
      return this.#enrol(request, known.runnerId);
    const { runnerId, name } = known;
    const stored = { ok: true, identity: { runnerId, token, name } } as const;
    if (request.ownerToken === null) {
      log.warn('name or labels not told to the service', { remedy: 'set PRELOOP_TOKEN' });
      return stored;
    }
    const enrolled = await this.#enrol(request, runnerId);
    // A service that is away must not keep a known runner offline: the change is told at the next start.
    if (!enrolled.ok)
      log.warn('name or labels not told to the service', { problem: enrolled.problem });
    return enrolled.ok ? enrolled : stored;
  }

  /** From the database, or where that was lost, from what is kept beside the token. */
  #known({ serverKey, name, machine }: EnrolmentRequest): KnownIdentity | undefined {
    const { store, vault, log } = this.#deps;
    const known = store.identity(serverKey);
    if (known !== undefined) return known;
    const runnerId = vault.runnerId(serverKey);
    if (runnerId === undefined) return undefined;
    log.warn('identity taken from the credentials', { runnerId });
    const recalled = { runnerId, name: name ?? machine.hostname, labelsHash: '' };
    try {
      store.keepIdentity(serverKey, recalled);
    } catch (error) {
      log.error('identity not kept', { runnerId, error });
    }
    return recalled;
  }

  async #enrol(request: EnrolmentRequest, runnerId: RunnerId | null): Promise<Enrolled> {
    if (request.ownerToken === null) {
      return {
        ok: false,
        problem: `This machine is not enrolled with ${request.serverUrl}`,
        remedy: 'Set PRELOOP_TOKEN to an API token of your account and start again',
        retryable: false,
      };
    }
    const answer = await register(this.#deps.route, request.serverUrl, request.ownerToken, {
      name: request.name ?? request.machine.hostname,
      ...request.machine,
      labels: request.labels ?? [],
      concurrency: request.concurrency,
      host_exec_profiles: [],
      ...(runnerId === null ? {} : { runner_id: runnerId }),
      ...(request.ephemeral === true ? { ephemeral: true } : {}),
    });
    if (!answer.ok) return refusedEnrolment(request, answer);
    this.#keep(request, answer);
    this.#deps.log.info('enrolled', { runnerId: answer.runnerId, resumed: runnerId !== null });
    return {
      ok: true,
      identity: { runnerId: answer.runnerId, token: answer.token, name: answer.name },
    };
  }

  /** A disk that refuses does not keep this run offline; what it did not take is asked for again at the next start. */
  #keep(request: EnrolmentRequest, answer: Registered): void {
    const { serverKey } = request;
    // Token first: a record without its token is enrolled again, a token without its record is not found.
    const { runnerId, name } = answer;
    try {
      this.#deps.vault.keepRunner(serverKey, runnerId, answer.token);
      this.#deps.store.keepIdentity(serverKey, {
        runnerId,
        name,
        labelsHash: wishesOf(request) ?? '',
      });
    } catch (error) {
      this.#deps.log.error('identity not kept', { runnerId, error });
    }
  }
}

/** Null where the owner expressed no wish, so that a start without flags changes nothing. */
function wishesOf({ name, labels }: EnrolmentRequest): string | null {
  if (name === null && labels === null) return null;
  return createHash('sha256')
    .update(JSON.stringify([name, labels]))
    .digest('hex');
}

function refusedEnrolment(request: EnrolmentRequest, answer: NotRegistered): Enrolled {
  switch (answer.kind) {
    case 'unauthorized':
    case 'forbidden':
      return {
        ok: false,
        problem: `${request.serverUrl} does not accept the API token (${answer.detail})`,
        remedy: 'Set PRELOOP_TOKEN to a valid API token that may run flows',
        retryable: false,
      };
    case 'not_found':
      return {
        ok: false,
        problem: 'The service no longer knows this runner',
        remedy: 'Start once with --enrol new to register this machine as a new runner',
        retryable: false,
      };
    case 'unreachable':
      return {
        ok: false,
        problem: `${request.serverUrl} cannot be reached (${answer.detail})`,
        remedy: answer.remedy?.replace(/\.$/, '') ?? 'Check the address and the network',
        retryable: true,
      };
    case 'invalid':
    case 'service':
      return {
        ok: false,
        problem: `${request.serverUrl} refused to enrol this machine (${answer.detail})`,
        remedy: 'Check name and labels, and try again',
        retryable: false,
      };
  }
}
