import type { AskingParts } from "../parts/index.ts";
import type { OutboxEntry, Submission } from "./outbox-entry.ts";
import { parseJson } from "../page/index.ts";

const beginning = "outbox:";
const mostEntries = 50;

type EntriesParts = Pick<AskingParts, "page" | "store" | "report" | "newId" | "AfterwordError">;

/** The entries of the outbox, on the device or in memory. */
export class Entries {
  readonly #parts: EntriesParts;

  constructor(parts: EntriesParts) {
    this.#parts = parts;
  }

  /** Oldest first, because a name begins with its time. */
  names(): string[] {
    return this.#parts.store.names(beginning).sort();
  }

  read(name: string): OutboxEntry | undefined {
    return parseJson<OutboxEntry>(this.#parts.store.read(name));
  }

  /** Returns whether it outlives the page. */
  save(name: string, entry: OutboxEntry): boolean {
    return this.#parts.store.write(name, JSON.stringify(entry));
  }

  isHeld(heldAs: string): boolean {
    return this.names().some((name) => this.read(name)?.heldAs === heldAs);
  }

  /** Forgets what is held under this name, except for one entry. */
  forgetHeld(heldAs: string, except?: string) {
    for (const name of this.names())
      if (name !== except && this.read(name)?.heldAs === heldAs) this.#parts.store.forget(name);
  }

  /** Creates an entry, or another version of an `earlier` one. A full outbox drops its oldest one. */
  create(
    submission: Submission & Pick<OutboxEntry, "heldAs">,
    earlier?: string,
  ): [name: string, entry: OutboxEntry] {
    const { page, store, report, newId, AfterwordError } = this.#parts;
    const at = page.Date.now();
    if (!earlier)
      for (const name of this.names().slice(0, 1 - mostEntries)) {
        store.forget(name);
        report(new AfterwordError("outbox_full", "50 answers queued; dropped the oldest"));
      }
    return [earlier ?? `${beginning}${at}-${newId(page)}`, { ...submission, at, notBefore: 0 }];
  }
}
