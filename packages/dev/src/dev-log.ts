import { type Clock, timestamp } from "@afterword/reference-server/internal";

export interface DevEntry {
  /** Rises by one with each entry. */
  number: number;
  /** RFC 3339. */
  at: string;
  /** What happened, such as `stored` or `not shown`; the page colours it. */
  kind: string;
  text: string;
  /** Whether it came from a preview on the page of `dev` itself. */
  isPreview: boolean;
}

const most = 500;

/** The last 500 entries, and the last 500 of previews, in memory. */
export class DevLog {
  readonly #clock: Clock;
  #entries: DevEntry[] = [];
  #count: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    // Above all numbers of an earlier run, so that a page that was open meanwhile gets the new entries.
    this.#count = clock.now();
  }

  add(kind: string, text: string, isPreview = false): void {
    const entry = { number: ++this.#count, at: timestamp(this.#clock.now()), kind, text, isPreview };
    this.#entries = [...this.#entries, entry];
    const alike = this.#entries.filter((one) => one.isPreview === isPreview);
    if (alike.length > most) this.#entries = this.#entries.filter((one) => one !== alike[0]);
  }

  /** Oldest first. */
  after(number: number): DevEntry[] {
    return this.#entries.filter((entry) => entry.number > number);
  }
}
