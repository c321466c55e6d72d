import { type Page, withTabLock } from "../page/index.ts";

interface Hold {
  /** Of the outbox entry. */
  name: string;
  /** Ends the wait of a vote. */
  end?(): void;
  /** Lets other tabs send the entry, once `delivery` has settled. */
  release(delivery?: unknown): void;
}

/**
 * The outbox entries that only this page may send, because the person can still change them. Each has a lock, which the
 * browser releases however the page ends: then the next page, or another tab, sends the entry at once.
 */
export class HeldEntries {
  readonly #page: Page;
  /** Keyed by what the entry is remembered as once it is sent. */
  readonly #held = new Map<string, Hold>();

  constructor(page: Page) {
    this.#page = page;
  }

  nameOf(heldAs: string): string | undefined {
    return this.#held.get(heldAs)?.name;
  }

  has(name: string): boolean {
    return [...this.#held.values()].some((hold) => hold.name === name);
  }

  add(heldAs: string, name: string, end?: () => void) {
    const released = new Promise<unknown>((release) => void this.#held.set(heldAs, { name, end, release }));
    void withTabLock(this.#page, name, () => released);
  }

  release(heldAs: string, delivery?: unknown) {
    this.#held.get(heldAs)?.release(delivery);
    this.#held.delete(heldAs);
  }

  /** Releases it; a vote that waits ends first. */
  end(heldAs: string) {
    this.#held.get(heldAs)?.end?.();
    this.release(heldAs);
  }

  /** Sends votes that wait, newest first. */
  endVotes() {
    for (const { end } of [...this.#held.values()].reverse()) end?.();
  }

  /** Call when the page is left: if it comes back, it continues with its entries, unless the next page sent them. */
  unlock() {
    for (const { release } of this.#held.values()) release();
  }
}
