/** Who knows the engine in use, played by the test; counts what it is asked and told. */
import type { EngineIdentity } from '../../runner-core/model/leftover.ts';
import type { EngineSense } from '../../runner-core/ports.ts';
import type { EngineAddress } from '../../runner-core/worker/protocol.ts';
import { ENGINE } from './listener-bench.ts';

export const HERE: EngineIdentity = { id: 'ENGINE-1', at: ENGINE.path };
export const ELSEWHERE: EngineIdentity = { id: 'ENGINE-2', at: '/home/me/.colima/docker.sock' };

export class FakeEngines implements EngineSense {
  /** As it is known; a check finds what `really` is. */
  known: EngineAddress | null = ENGINE;
  really: EngineAddress | null = ENGINE;
  is: EngineIdentity = HERE;
  checks = 0;
  misses = 0;
  changedLooks = 0;

  identity(): EngineIdentity | null {
    return this.known === null ? null : this.is;
  }

  missed(): void {
    this.misses += 1;
    this.known = this.really;
  }

  check(): Promise<void> {
    this.checks += 1;
    this.known = this.really;
    return Promise.resolve();
  }

  lookIfChanged(): Promise<void> {
    this.changedLooks += 1;
    return Promise.resolve();
  }

  /** What a listener is given of it. */
  get deps(): { readonly engines: EngineSense; readonly engine: () => EngineAddress | null } {
    return { engines: this, engine: () => this.known };
  }

  goAway(): void {
    this.really = null;
  }

  comeBack(): void {
    this.really = ENGINE;
    this.known = ENGINE;
  }
}
