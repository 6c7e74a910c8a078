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
