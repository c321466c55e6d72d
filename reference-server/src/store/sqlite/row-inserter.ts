import { type Statement } from "better-sqlite3";
import { type Connection } from "./connection.ts";

/** Any number of rows is a few of the widest and at most three of each other. */
const widths = [16, 4, 1];

/** The values of a row, in the order of the columns. */
export type Row = readonly (string | number | Uint8Array | null)[];

/**
 * Adds rows of one table, several by each statement: a table with its indexes is then opened once for all of them, and one
 * result handed back. What is put together is constant; values are parameters.
 */
export class RowInserter {
  readonly #statements: readonly { width: number; statement: Statement<unknown[]> }[];

  /** @param insert the parts of `INSERT INTO <into> VALUES <row> <rest>`; only the row is repeated */
  constructor(connection: Connection, insert: { into: string; row: string; rest?: string }) {
    const { into, row, rest = "" } = insert;
    this.#statements = widths.map((width) => {
      const rows = Array<string>(width).fill(row).join(", ");
      return {
        width,
        statement: connection.prepare<unknown[]>(`INSERT INTO ${into} VALUES ${rows} ${rest}`),
      };
    });
  }

  /** In their order. Returns how many rows were added or changed. */
  insert(rows: readonly Row[]): number {
    let changes = 0;
    let at = 0;
    for (const { width, statement } of this.#statements) {
      for (; at + width <= rows.length; at += width) {
        changes += statement.run(rows.slice(at, at + width).flat()).changes;
      }
    }
    return changes;
  }
}
