import { type Statement } from "better-sqlite3";
import { type Connection } from "./connection.ts";

/** Any number of rows is a few of the widest and at most three of each other. */
const widths = [16, 4, 1];

/** The values of a row, in the order of the columns. */
export type Row = readonly (string | number | Uint8Array | null)[];

interface RowsOfTable {
  /** The table with its columns. */
  into: string;
  /** A parameter or a constant for each column, in parentheses. */
  row: string;
  /** Whether a row whose key is there is passed over. Default: it is an error. */
  skipsConflicts?: boolean;
}

/**
 * Adds rows of one table, several by each statement: a table with its indexes is then opened once for all of them, and one
 * result handed back. What is put together is constant; values are parameters.
 *
 * A row that cannot be added takes the whole transaction with it: to undo a statement of several rows alone, SQLite would
 * keep a copy of each page that the statement is about to change.
 */
export class RowInserter {
  readonly #statements: readonly { width: number; statement: Statement<unknown[]> }[];

  constructor(connection: Connection, { into, row, skipsConflicts = false }: RowsOfTable) {
    // No update in its place: that has the copies made all the same.
    const rest = skipsConflicts ? " ON CONFLICT DO NOTHING" : "";
    this.#statements = widths.map((width) => {
      const rows = Array<string>(width).fill(row).join(", ");
      return {
        width,
        statement: connection.prepare(`INSERT OR ROLLBACK INTO ${into} VALUES ${rows}${rest}`),
      };
    });
  }

  /** In their order. Returns how many rows were added. */
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
