/** The failures we name. Recognised by `code`, since classes do not survive a process border. */
export abstract class RunnerError extends Error {
  abstract readonly code: string;
  /** True where the same act may succeed later without anybody changing anything. */
  readonly retryable: boolean = false;
  override readonly name: string = 'RunnerError';
}

/** An event that cannot happen in a state. Always a bug of ours, never bad input. */
export class IllegalTransitionError extends RunnerError {
  readonly code = 'illegal_transition';
  readonly facts: { readonly state: string; readonly event: string };
  constructor(facts: IllegalTransitionError['facts']) {
    super(`Event ${facts.event} cannot happen in state ${facts.state}`);
    this.facts = facts;
  }
}

/** The disk refused a write or a read; nothing of the call was kept. `cause` is the system's own error. */
export class StoreUnavailableError extends RunnerError {
  readonly code = 'store_unavailable';
  override readonly retryable = true;
  /** `act` is what was tried, in plain words; `systemCode` the SQLite or system code, such as ENOSPC. */
  readonly facts: { readonly act: string; readonly systemCode: string };
  constructor(facts: StoreUnavailableError['facts'], options?: ErrorOptions) {
    super(`The store could not ${facts.act} (${facts.systemCode})`, options);
    this.facts = facts;
  }
}

/** Another program holds the database's lock: it is over as soon as that one lets go. */
export function isStoreBusy(error: unknown): boolean {
  return (
    error instanceof StoreUnavailableError && /^SQLITE_(BUSY|LOCKED)/.test(error.facts.systemCode)
  );
}
