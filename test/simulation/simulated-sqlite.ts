import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { readImage, tornCheckpoint, tornCommit, type DiskImage } from "../faults/disk-image.ts";
import { inProcess } from "./scheduler.ts";

const Real = createRequire(import.meta.url)("better-sqlite3") as typeof BetterSqlite3;

interface Disk {
  /** So many more commits fit on it. */
  room: number;
  /** What a loss of power leaves while something that is committed is not flushed; absent while everything is. */
  flushed?: DiskImage;
  /** Called in the middle of the next commit that writes, with what a loss of power then leaves. */
  onNextCommit?: (left: DiskImage) => void;
}

const soundDisk: Disk = { room: Infinity, flushed: undefined, onNextCommit: undefined };

/** The disk of the world's database. */
export const disk: Disk = { ...soundDisk };

/** Nothing goes wrong with it from now on. */
export const mendDisk = () => void Object.assign(disk, soundDisk, { flushed: disk.flushed });

/** Of `PRAGMA synchronous`: a commit is flushed before it returns. */
const full = 2;

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

  /** Keeps what is flushed, for a loss of power: the folder may be in memory, and knows no flush. */
  #commit<T>(run: () => T): T {
    const isFlushed = (super.pragma("synchronous", { simple: true }) as number) >= full;
    const { onNextCommit } = disk;
    const before = isFlushed && !onNextCommit ? undefined : (disk.flushed ?? readImage(this.name));
    const result = run();
    disk.flushed = isFlushed ? undefined : before;
    if (!onNextCommit) return result;
    const after = readImage(this.name);
    const isMoved = !before!.file.equals(after.file);
    // Many commit nothing.
    if (!isMoved && before!.log.equals(after.log)) return result;
    disk.onNextCommit = undefined;
    onNextCommit((isMoved ? tornCheckpoint : tornCommit)(before!, after, Math.random));
    return result;
  }

  override prepare<Given extends unknown[] | {} = unknown[], Row = unknown>(sql: string) {
    const statement = super.prepare<Given, Row>(sql);
    const run = statement.run.bind(statement) as (...given: unknown[]) => BetterSqlite3.RunResult;
    statement.run = (...given: unknown[]) => {
      if (sql === "COMMIT" && disk.room < Infinity && this.#changes > this.#changesBefore) takeRoom();
      const isBegin = sql.startsWith("BEGIN");
      const isOfNoTransaction = !isBegin && !this.inTransaction && !statement.readonly;
      if (isOfNoTransaction) takeRoom();
      if (isBegin) this.#changesBefore = this.#changes;
      return sql === "COMMIT" || isOfNoTransaction ? this.#commit(() => run(...given)) : run(...given);
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
    const { immediate } = super.transaction(inRoom);
    const run = (...given: never[]) => this.#commit(() => immediate(...given));
    return { immediate: run } as never;
  }
}
