/**
 * The number of a process group that this process started, for as long as it surely is that group's. The system gives
 * a number anew once neither a process nor a group has it, and a signal to it would then meet a stranger.
 */
import { processTable, type SeenProcess } from './process-table.ts';

/** What is asked of the system about groups. */
export interface GroupSystem {
  /** Whether anybody is in the group, or not yet waited for. */
  hasMembers(group: number): boolean;
  hasProcess(pid: number): boolean;
  /** Null where the system has no table. */
  table(): Promise<readonly Pick<SeenProcess, 'pid' | 'group'>[] | null>;
}

const thisSystem: GroupSystem = {
  hasMembers: (group) => isThere(-group),
  hasProcess: isThere,
  table: () => (process.platform === 'linux' ? processTable() : Promise.resolve(null)),
};

export class OwnedGroup {
  readonly #system: GroupSystem;
  #number: number | null;
  #hasLeader = true;

  /** @param leader the program just started; its group has its number */
  constructor(leader: number, system: GroupSystem = thisSystem) {
    this.#number = leader;
    this.#system = system;
  }

  /** Null once the group was seen empty without its leader: it is never asked for again. */
  get number(): number | null {
    return this.#number;
  }

  /** The leader has ended and was just waited for: from now on only members keep the number from others. */
  leaderReaped(): void {
    this.#hasLeader = false;
    if (this.#number !== null && !this.#system.hasMembers(this.#number)) this.#number = null;
  }

  /** Whether some of it lives; where not, and its leader is gone, the number is forgotten. */
  async isAlive(): Promise<boolean> {
    const number = this.#number;
    if (number === null || this.#hasLeader) return number !== null;
    const table = await this.#system.table();
    // Its leader is gone: a process of that number is a later one, which can only be where the group was empty.
    const isOurs =
      table === null
        ? this.#system.hasMembers(number) && !this.#system.hasProcess(number)
        : table.some(({ group }) => group === number) && !table.some(({ pid }) => pid === number);
    if (!isOurs) this.#number = null;
    return isOurs;
  }
}

function isThere(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    // It is there, and another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
