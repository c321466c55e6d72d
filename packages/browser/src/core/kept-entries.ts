import type { AskingParts } from "./asking-parts.ts";
import type { OutboxEntry, Outgoing } from "./outbox-entry.ts";
import { parsed } from "./parsed.ts";

const beginning = "outbox:";
const mostEntries = 50;

/** The entries of the outbox, on the device or in memory. */
export class KeptEntries {
  readonly #parts: AskingParts;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** Oldest first, because a name begins with its time. */
  names(): string[] {
    return this.#parts.store.names(beginning).sort();
  }

  read(name: string): OutboxEntry | undefined {
    return parsed<OutboxEntry>(this.#parts.store.read(name));
  }

  /** Returns whether it outlives the page. */
  save(name: string, entry: OutboxEntry): boolean {
    return this.#parts.store.write(name, JSON.stringify(entry));
  }

  /** Forgets what is held under this name, except for one entry. */
  forgetHeld(heldAs: string, except?: string) {
    for (const name of this.names())
      if (name !== except && this.read(name)?.heldAs === heldAs) this.#parts.store.forget(name);
  }

  /** Creates an entry, or another version of an `earlier` one. A full outbox drops its oldest one. */
  create(
    outgoing: Outgoing & Pick<OutboxEntry, "heldAs">,
    earlier?: string,
  ): [name: string, entry: OutboxEntry] {
    const { page, store, report, newId, AfterwordError } = this.#parts;
    const at = page.Date.now();
    if (!earlier)
      for (const name of this.names().slice(0, 1 - mostEntries)) {
        store.forget(name);
        report(new AfterwordError("outbox_full", "50 answers queued; dropped the oldest"));
      }
    return [earlier ?? `${beginning}${at}-${newId(page)}`, { ...outgoing, at, notBefore: 0 }];
  }
}
