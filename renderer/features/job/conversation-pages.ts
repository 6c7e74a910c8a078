/**
 * The part of a conversation that the page has at hand: its end, and as much before it as was asked for. Owns what is
 * fetched and when; knows no React. One request at a time, so a slow host is never asked ahead of its answers.
 */
import { turnOfRecord } from './turn-places.ts';
import {
  CONVERSATION_PAGE_MAX,
  type ConversationEntryView,
  type ConversationHead,
  type RecordRangeView,
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
  ) => Promise<{
    readonly entries: readonly ConversationEntryView[];
    readonly places: readonly (RecordRangeView | null)[];
  }>;
  /** Resolves a little later: what comes meanwhile is fetched at once. */
  readonly rest: () => Promise<void>;
  readonly changed: () => void;
}

export interface ShownTurns {
  /** Turns before the first one shown. */
  readonly before: number;
  readonly entries: readonly ConversationEntryView[];
  /** Of each of them, where it stands in the log. */
  readonly places: readonly (RecordRangeView | null)[];
}

interface Page extends Omit<ShownTurns, 'before'> {
  /** The revision that was known when it was asked for. */
  readonly revision: number;
}

const NOTHING: ShownTurns = { before: 0, entries: [], places: [] };

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

  /** The turn that this record of the log tells of, counted from the first of all; earlier turns are fetched for it. */
  async turnOf(record: number): Promise<number | null> {
    this.follow(false);
    for (;;) {
      const { before, places } = this.#shown;
      const found = turnOfRecord(places, record);
      if (found !== null && (found.isCertain || before === 0)) return before + found.index;
      if (before === 0 || this.#isStopped) return null;
      this.#hasFailed = false;
      const page = await this.#pageOf(record).catch(() => null);
      if (page !== null) this.#first = Math.min(page, this.#first);
      this.#fetch();
      await this.idle();
      if (page === null || this.hasFailed) return null;
    }
  }

  /** Of the pages before those at hand, the one that the record is in: asked for a few turns, not for all of them. */
  async #pageOf(record: number): Promise<number> {
    let low = 0;
    let high = Math.max(0, this.#first - 1);
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const { places } = await this.#ports.page(middle * PAGE_TURNS, 1);
      const first = places[0]?.first ?? Number.POSITIVE_INFINITY;
      if (first <= record) low = middle;
      else high = middle - 1;
    }
    return low;
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
        const { entries, places } = await this.#ports.page(next * PAGE_TURNS, PAGE_TURNS);
        this.#hasFailed = false;
        this.#pages.set(next, { entries, places, revision });
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
    const parts: Page[] = [];
    for (let index = this.#first; index <= this.#last; index++) {
      const page = this.#pages.get(index);
      if (page === undefined) break;
      parts.push(page);
    }
    this.#shown = {
      before: this.#first * PAGE_TURNS,
      entries: parts.flatMap(({ entries }) => entries),
      places: parts.flatMap(({ places }) => places),
    };
    this.#ports.changed();
  }
}
