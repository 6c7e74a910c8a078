/** How the app ends: asked by its owner, told by the system, or drained first. Owns that it ends once. */
import type { StopHow } from '../runner-core/listener/listener.ts';
import type { HeldKinds } from '../main/contract/leave-words.ts';
import { QUIT_ANSWERS, quitQuestion, type Question } from './words.ts';

export interface LifecycleDeps {
  readonly heldJobs: () => HeldKinds;
  readonly stopHost: (how: StopHow) => Promise<void>;
  /** The index of the chosen button. */
  readonly ask: (question: Question) => Promise<number>;
  /** Takes away what is visible; the process goes on until `exit`. */
  readonly withdraw: () => void;
  readonly exit: (code: number) => void;
}

export class Lifecycle {
  readonly #deps: LifecycleDeps;
  #isAsking = false;
  #ending: Promise<void> | null = null;

  constructor(deps: LifecycleDeps) {
    this.#deps = deps;
  }

  /** Quits; with jobs held, in the way the owner chooses, or not at all. */
  async requestQuit(): Promise<void> {
    if (this.#isAsking) return;
    const held = this.#deps.heldJobs();
    if (held.containers + held.commands === 0) return this.#end('stop');
    this.#isAsking = true;
    try {
      const answer = QUIT_ANSWERS[await this.#deps.ask(quitQuestion(held))] ?? 'stay';
      if (answer === 'stay') return;
      // While jobs finish the owner still has the tray and the window, and may ask for a quicker end.
      if (answer === 'finish') void this.#end('drain');
      else void this.#end(answer);
    } finally {
      this.#isAsking = false;
    }
  }

  /** Quits in a way that was chosen elsewhere: on the page, or in a terminal. */
  quit(how: StopHow): Promise<void> {
    return this.#end(how);
  }

  /** The session of this person or the machine itself ends: containers stay and are adopted at the next start, local commands are stopped. */
  leave(): Promise<void> {
    return this.#end('leave');
  }

  #end(how: StopHow): Promise<void> {
    if (how !== 'drain') this.#deps.withdraw();
    // A second call may only make the host's stop harder; it has one end all the same.
    const stopped = this.#deps.stopHost(how);
    this.#ending ??= stopped.then(
      () => this.#deps.exit(0),
      () => this.#deps.exit(1),
    );
    return this.#ending;
  }
}
