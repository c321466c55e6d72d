import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { inProcess } from "./scheduler.ts";

const Real = createRequire(import.meta.url)("better-sqlite3") as typeof BetterSqlite3;

/** The disk of all databases. */
export const disk = { isFull: false };

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

  #assertRoom(changesBefore: number): void {
    if (disk.isFull && this.#changes > changesBefore)
      throw new Real.SqliteError("database or disk is full", "SQLITE_FULL");
  }

  override prepare(sql: string): never {
    const statement = super.prepare(sql);
    if (sql.startsWith("BEGIN")) this.#changesBefore = this.#changes;
    if (sql !== "COMMIT") return statement as never;
    const run = statement.run.bind(statement);
    statement.run = (...given) => {
      this.#assertRoom(this.#changesBefore);
      return run(...given);
    };
    return statement as never;
  }

  override transaction<Work extends (...given: never[]) => unknown>(work: Work) {
    const inRoom = (...given: never[]) => {
      const changesBefore = disk.isFull ? this.#changes : Infinity;
      const result = work(...given);
      this.#assertRoom(changesBefore);
      return result;
    };
    return super.transaction(inRoom as Work as never) as never;
  }
}
