import type { Context } from "../context/index.ts";
import type { OutboxEntry, Submission } from "./outbox-entry.ts";
import { parseJson, withTabLock } from "../page/index.ts";
import type { Settled } from "../public/index.ts";

const beginning = "outbox:";
const mostEntries = 50;

/** What this page does with an entry, for as long as it lives. */
export interface Handling {
  /** The name under which the device remembers that the person was asked. */
  asked: string;
  /** Lets other pages send a held entry, once `delivery` has settled. */
  release?(delivery?: unknown): void;
  /** Ends the delay of a held rating. */
  endDelay?(): void;
  /** Waits for the entry's lock. */
  isClaimed?: boolean;
  isSending?: boolean;
  /** The request under way is too large to outlive the page. */
  endsWithPage?: boolean;
  /** Gets the outcome of each retry. */
  settled?: Settled;
}

/** The entries of the outbox, on the device or in memory, and what this page does with each. */
export class Entries {
  readonly #context: Context;
  /** By the names of the entries. */
  readonly #handled = new Map<string, Handling>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Oldest first, because a name begins with its time. */
  names(): string[] {
    return this.#context.store.names(beginning).sort();
  }

  read(name: string): OutboxEntry | undefined {
    return parseJson<OutboxEntry>(this.#context.store.read(name));
  }

  /** Returns whether it outlives the page. */
  save(name: string, entry: OutboxEntry): boolean {
    return this.#context.store.write(name, JSON.stringify(entry));
  }

  /** Creates a held entry, or another version of an `earlier` one. A full outbox drops its oldest one. */
  create(submission: Submission, asked: string, earlier?: string): [name: string, entry: OutboxEntry] {
    const { page, report, newId, errorOf } = this.#context;
    const at = page.Date.now();
    if (!earlier)
      for (const name of this.names().slice(0, 1 - mostEntries)) {
        this.delete(name);
        report(errorOf("50 answers queued; dropped the oldest", "outbox_full"));
      }
    const name = earlier ?? `${beginning}${at}-${newId(page)}`;
    return [name, { ...submission, state: "held", asked, at, notBefore: 0 }];
  }

  handlingOf(name: string, asked: string): Handling {
    const handling = this.#handled.get(name) ?? { asked };
    this.#handled.set(name, handling);
    return handling;
  }

  /** Deletes an entry. One that waits for its delay ends unsent. */
  delete(name: string) {
    this.#context.store.forget(name);
    this.#handled.get(name)?.endDelay?.();
    this.release(name);
    this.#handled.delete(name);
  }

  /** The entries that any page holds under a name. */
  heldAs(asked: string): string[] {
    return this.names().filter((name) => {
      const entry = this.read(name);
      return entry?.state === "held" && entry.asked === asked;
    });
  }

  /** The entry that this page holds under a name. */
  ownHeld(asked: string): string | undefined {
    return [...this.#handled].find(([, handling]) => handling.release && handling.asked === asked)?.[0];
  }

  /** Lets no other page send the entry while this page lives, until it is released. */
  hold(name: string, asked: string, endDelay?: () => void) {
    const released = new Promise<unknown>((release) =>
      Object.assign(this.handlingOf(name, asked), { release, endDelay }),
    );
    void withTabLock(this.#context.page, name, () => released);
  }

  release(name: string, delivery?: unknown) {
    const handling = this.#handled.get(name);
    handling?.release?.(delivery);
    if (handling) handling.release = handling.endDelay = undefined;
  }

  /** Sends the ratings that wait for their delay, newest first. */
  endDelays() {
    for (const { endDelay } of [...this.#handled.values()].reverse()) endDelay?.();
  }

  /** Call when the page is left: if it comes back, it continues with its entries, unless the next page sent them. */
  unlock() {
    for (const { release } of this.#handled.values()) release?.();
  }
}
