import { type Clock, timestamp } from "@afterword/reference-server/internal";

export interface DevEntry {
  /** Rises by one with each entry. */
  number: number;
  /** RFC 3339. */
  at: string;
  /** What happened, such as `stored` or `not shown`; the page colours it. */
  kind: string;
  text: string;
}

const most = 500;

/** The last 500 entries, in memory. */
export class DevLog {
  readonly #clock: Clock;
  #entries: DevEntry[] = [];
  #count: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    // Above all numbers of an earlier run, so that a page that was open meanwhile gets the new entries.
    this.#count = clock.now();
  }

  add(kind: string, text: string): void {
    const entry = { number: ++this.#count, at: timestamp(this.#clock.now()), kind, text };
    this.#entries = [...this.#entries, entry].slice(-most);
  }

  /** Oldest first. */
  after(number: number): DevEntry[] {
    return this.#entries.filter((entry) => entry.number > number);
  }
}
