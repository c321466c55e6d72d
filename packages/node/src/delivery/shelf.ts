import type { Row } from "./page-source.ts";

interface ShelvedRow {
  row: Row;
  dueAt: number;
}

/** Rows of the running pass that are soon tried again, so that they need not be fetched a second time. */
export class Shelf {
  #rows: ShelvedRow[] = [];

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  put(row: Row, dueAt: number): void {
    this.#rows.push({ row, dueAt });
  }

  /** Up to `count` rows whose time has come, longest overdue first. */
  takeDue(count: number, now: number): Row[] {
    if (this.isEmpty) return [];
    this.#rows.sort((left, right) => left.dueAt - right.dueAt);
    const due = this.#rows.findIndex(({ dueAt }) => dueAt > now);
    return this.#rows.splice(0, Math.min(count, due === -1 ? this.#rows.length : due)).map(({ row }) => row);
  }

  /** When the next row is due, milliseconds since 1970; `undefined` without rows. */
  get nextDueAt(): number | undefined {
    return this.isEmpty ? undefined : Math.min(...this.#rows.map(({ dueAt }) => dueAt));
  }

  /** Gives up what is left when the pass ends early. */
  clear(): Row[] {
    return this.#rows.splice(0).map(({ row }) => row);
  }
}
