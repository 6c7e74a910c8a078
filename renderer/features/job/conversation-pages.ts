/**
 * The part of a conversation that the page has at hand: its end, and as much before it as was asked for. Owns what is
 * fetched and when; knows no React. One request at a time, so a slow host is never asked ahead of its answers.
 */
import {
  CONVERSATION_PAGE_MAX,
  type ConversationEntryView,
  type ConversationHead,
} from '../../../main/contract/conversation-views.ts';

export const PAGE_TURNS = CONVERSATION_PAGE_MAX;
/** The newest turns may still change, and with them the page before. */
const RESTLESS_PAGES = 2;
/** While the end is followed, more pages than this give way to the newest. */
const MOST_FOLLOWED = 4;

export interface ConversationPorts {
  readonly page: (
    offset: number,
    limit: number,
  ) => Promise<{ readonly entries: readonly ConversationEntryView[] }>;
  /** Resolves a little later: what comes meanwhile is fetched at once. */
  readonly rest: () => Promise<void>;
  readonly changed: () => void;
}

export interface ShownTurns {
  /** Turns before the first one shown. */
  readonly before: number;
  readonly entries: readonly ConversationEntryView[];
}

interface Page {
  readonly entries: readonly ConversationEntryView[];
  /** The revision that was known when it was asked for. */
  readonly revision: number;
}

const NOTHING: ShownTurns = { before: 0, entries: [] };

export class ConversationPages {
  readonly #ports: ConversationPorts;
  readonly #pages = new Map<number, Page>();
  #head: Pick<ConversationHead, 'total' | 'revision'> = { total: 0, revision: -1 };
  #first = 0;
  #isOpened = false;
  #isFollowing = true;
  #hasFailed = false;
  #isStopped = false;
  #shown = NOTHING;
  #fetched: Promise<void> | undefined;

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
  }

  /** The same object until something of it changes. */
  get shown(): ShownTurns {
    return this.#shown;
  }

  /** The last request failed; the next may not. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Takes what is known of the conversation now, and fetches what changed. */
  update(head: Pick<ConversationHead, 'total' | 'revision'>): void {
    this.#head = head;
    const last = this.#last;
    if (!this.#isOpened || last < this.#first) this.#first = Math.max(0, last - 1);
    this.#isOpened ||= head.total > 0;
    if (this.#isFollowing && last - this.#first >= MOST_FOLLOWED) this.#first = last - 1;
    this.#fetch();
  }

  /** Who reads somewhere else loses nothing of what was loaded. */
  follow(isFollowing: boolean): void {
    this.#isFollowing = isFollowing;
  }

  earlier(): void {
    this.#first = Math.max(0, this.#first - 1);
    this.#fetch();
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves when nothing is being fetched. */
  async idle(): Promise<void> {
    await this.#fetched;
  }

  get #last(): number {
    return Math.max(0, Math.ceil(this.#head.total / PAGE_TURNS) - 1);
  }

  #fetch(): void {
    this.#fetched ??= this.#run().finally(() => {
      this.#fetched = undefined;
    });
  }

  async #run(): Promise<void> {
    for (let next = this.#stale(); next !== undefined && !this.#isStopped; next = this.#stale()) {
      const { revision } = this.#head;
      try {
        const { entries } = await this.#ports.page(next * PAGE_TURNS, PAGE_TURNS);
        this.#hasFailed = false;
        this.#pages.set(next, { entries, revision });
      } catch {
        this.#hasFailed = true;
        this.#ports.changed();
        return;
      }
      if (this.#stale() !== undefined && this.#shown !== NOTHING) {
        // What is shown stays whole: it changes once all of the newest is here.
        if (this.#head.revision === revision) continue;
        this.#show();
        await this.#ports.rest();
      } else this.#show();
    }
    if (!this.#isStopped && this.#head.total === 0) this.#show();
  }

  /** The first page that is not at hand, or may have changed since it was asked for. */
  #stale(): number | undefined {
    if (this.#head.total === 0) return undefined;
    for (let index = this.#first; index <= this.#last; index++) {
      const page = this.#pages.get(index);
      if (page === undefined) return index;
      if (page.revision === this.#head.revision) continue;
      const mayChange =
        index > this.#last - RESTLESS_PAGES ||
        page.entries.length < PAGE_TURNS ||
        page.entries.some((entry) => entry.kind === 'tool' && entry.state === 'open');
      if (mayChange) return index;
    }
    return undefined;
  }

  #show(): void {
    for (const index of this.#pages.keys())
      if (index < this.#first || index > this.#last) this.#pages.delete(index);
    const parts: (readonly ConversationEntryView[])[] = [];
    for (let index = this.#first; index <= this.#last; index++) {
      const entries = this.#pages.get(index)?.entries;
      if (entries === undefined) break;
      parts.push(entries);
    }
    this.#shown = { before: this.#first * PAGE_TURNS, entries: parts.flat() };
    this.#ports.changed();
  }
}
