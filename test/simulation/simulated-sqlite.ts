import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { inProcess } from "./scheduler.ts";

const Real = createRequire(import.meta.url)("better-sqlite3") as typeof BetterSqlite3;

/** The disk of all databases: so many more commits fit on it. */
export const disk = { room: Infinity };

function takeRoom(): void {
  if (disk.room <= 0) throw new Real.SqliteError("database or disk is full", "SQLITE_FULL");
  disk.room -= 1;
}

/**
 * A connection that a killed process loses, with what it has not committed. On a full disk nothing commits that has changed
 * a row.
 */
export default class SimulatedDatabase extends Real {
  #changesBefore = 0;

  constructor(path: string, options?: BetterSqlite3.Options) {
    super(path, options);
    inProcess.getStore()?.atEnd(() => this.close());
  }

  get #changes(): number {
    return super.prepare<[], number>("SELECT total_changes()").pluck().get()!;
  }

  override prepare<Given extends unknown[] | {} = unknown[], Row = unknown>(sql: string) {
    const statement = super.prepare<Given, Row>(sql);
    const run = statement.run.bind(statement) as (...given: unknown[]) => BetterSqlite3.RunResult;
    statement.run = (...given: unknown[]) => {
      if (sql === "COMMIT" && disk.room < Infinity && this.#changes > this.#changesBefore) takeRoom();
      const isOfNoTransaction = !this.inTransaction && !statement.readonly;
      if (isOfNoTransaction && !sql.startsWith("BEGIN")) takeRoom();
      if (sql.startsWith("BEGIN")) this.#changesBefore = this.#changes;
      return run(...given);
    };
    return statement;
  }

  override transaction<Work extends (...given: never[]) => unknown>(work: Work) {
    const inRoom = (...given: never[]) => {
      const changesBefore = disk.room < Infinity ? this.#changes : 0;
      const result = work(...given);
      if (disk.room < Infinity && this.#changes > changesBefore) takeRoom();
      return result;
    };
    return super.transaction(inRoom as Work as never) as never;
  }
}
