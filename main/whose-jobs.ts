/** Whose jobs a data folder holds: those of the runner that stays, or of one for a single stay (`--ephemeral`). */
import { RunnerError } from '../runner-core/model/errors.ts';
import type { JobStore } from '../runner-core/ports.ts';
import type { CredentialVault } from './secrets/credential-vault.ts';
import type { SettingsStore } from './store/settings-store.ts';

const EPHEMERAL_PREFIX = 'ephemeral ';

/** A start of one kind in a folder with jobs of the other. */
export class OthersJobsError extends RunnerError {
  readonly code = 'others_jobs';

  /** @param ephemeral whether this start is */
  constructor(ephemeral: boolean) {
    super(
      ephemeral
        ? 'The data folder holds jobs of a runner that is not ephemeral. Start once without --ephemeral, or give another --data-dir.'
        : 'The data folder holds jobs of an ephemeral runner. Start once with --ephemeral, or give another --data-dir.',
    );
  }
}

/** A store that cannot be read may well hold something. */
export function unsettledOrOne(store: Pick<JobStore, 'unsettled'>): number {
  try {
    return store.unsettled().length;
  } catch {
    return 1;
  }
}

/** Who it is for one stay must not take the place of who this host is. */
export function identityKey(serverKey: string, ephemeral: boolean): string {
  return ephemeral ? `${EPHEMERAL_PREFIX}${serverKey}` : serverKey;
}

/**
 * A verdict is only heard from the runner that had the job, so the other kind of start must not send it. A database
 * that was begun anew knows no identity yet, and has jobs again: then the credentials tell.
 */
export function refuseOthersJobs(
  store: Pick<JobStore, 'unsettled'>,
  {
    facts,
    vault,
  }: {
    readonly facts: Pick<SettingsStore, 'servers' | 'identity'>;
    readonly vault: Pick<CredentialVault, 'servers' | 'runnerId'>;
  },
  serverKey: string,
  ephemeral: boolean,
): void {
  if (store.unsettled().length === 0) return;
  const known = facts.servers().length > 0 ? facts.servers() : vault.servers();
  const leftByEphemeral = known.some((server) => server.startsWith(EPHEMERAL_PREFIX));
  const identity = facts.identity(serverKey) ?? vault.runnerId(serverKey);
  const isOurs = ephemeral ? identity !== undefined : !leftByEphemeral;
  if (!isOurs) throw new OthersJobsError(ephemeral);
}
