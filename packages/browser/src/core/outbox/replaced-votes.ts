import type { AskingParts } from "../parts/index.ts";
import type { RateOptions } from "../options/index.ts";
import { parseJson } from "../page/index.ts";
import type { SubmitResult } from "../survey/index.ts";
import type { OutboxEntry } from "./outbox-entry.ts";

type Parts = Pick<AskingParts, "page" | "options" | "askedName">;
type Told = [rating?: number, result?: SubmitResult];

/** Tells votes what becomes of the vote that has replaced them, in this page or in another tab. */
export class ReplacedVotes {
  readonly #parts: Parts;
  readonly #changed: (run: string, name: string) => void;
  /** Runs whose votes were replaced. */
  readonly #runs = new Set<string>();
  // An EventTarget, because an error in one listener does not affect the others.
  readonly #target: EventTarget;

  /** Calls back when another tab has changed the entry of a run, before votes are told. */
  constructor(parts: Parts, changed: (run: string, name: string) => void) {
    this.#parts = parts;
    this.#changed = changed;
    this.#target = new parts.page.EventTarget();
    parts.page.addEventListener("storage", this.#onStorage);
  }

  has(run: string): boolean {
    return this.#runs.has(run);
  }

  /** Calls back until the other vote has its outcome, or the person votes anew. */
  follow(run: string, { replaced, signal }: RateOptions) {
    if (!replaced || signal?.aborted) return;
    const onTold = (event: Event) => {
      const told = (event as CustomEvent<Told>).detail;
      if (signal?.aborted || !this.has(run)) this.#target.removeEventListener(run, onTold);
      if (!signal?.aborted) replaced(...told);
    };
    this.#runs.add(run);
    this.#target.addEventListener(run, onTold);
  }

  /** Reports the rating that takes the place, with its outcome once it has one. Without a rating, it was withdrawn. */
  tell(run: string, ...told: Told) {
    const { CustomEvent } = this.#parts.page;
    const [, result] = told;
    if (result && result !== "queued") this.#runs.delete(run);
    this.#target.dispatchEvent(new CustomEvent(run, { detail: told }));
  }

  tellOf(entry: OutboxEntry) {
    this.tell(this.#runOf(entry), entry.body.rating, entry.result);
  }

  stop() {
    this.#parts.page.removeEventListener("storage", this.#onStorage);
  }

  #runOf({ heldAs, body }: OutboxEntry) {
    return heldAs ?? this.#parts.askedName({ id: body.userId }, body);
  }

  #onStorage = ({ key, oldValue, newValue }: StorageEvent) => {
    const name = key?.split(`afterword:${this.#parts.options.key}:`)[1];
    const entry = name?.startsWith("outbox:") && parseJson<OutboxEntry>(newValue ?? oldValue ?? "");
    // Other code of the site may write there.
    if (!entry || !entry.body) return;
    const run = this.#runOf(entry);
    this.#changed(run, name!);
    if (newValue) this.tellOf(entry);
    else if (entry.heldAs) this.tell(run);
  };
}
