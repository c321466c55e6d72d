import { randomBytes } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { isDiskFull } from "./sqlite-error.ts";

/** What an erasure of a person, or a step of retention, writes into the log at most by far. */
export const reservedBytes = 1024 * 1024;

/**
 * Space that is kept beside the database for the day on which the disk is full: SQLite needs room even to delete, so
 * without it nobody could be erased, and nothing could make room (decision O28).
 */
export class Reserve {
  readonly #file: string | undefined;

  private constructor(file: string | undefined) {
    this.#file = file;
  }

  /** @param database its path; none for a database that nobody has to rescue */
  static keptFor(database: string | undefined): Reserve {
    const reserve = new Reserve(database === undefined ? undefined : `${database}.reserve`);
    reserve.#keep();
    return reserve;
  }

  /** The one that is kept beside a database, if there is one. */
  static beside(database: string): Reserve {
    return new Reserve(`${database}.reserve`);
  }

  /** Runs what makes room; on a full disk a second time, with the reserve given up until there is room for it again. */
  async freeing<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!isDiskFull(error) || !this.#giveUp()) throw error;
      return await run();
    } finally {
      this.#keep();
    }
  }

  /** Runs it with the reserve given up, and lets nothing else in between; `undefined` where there is none. */
  spendOn<T>(run: () => T): T | undefined {
    if (!this.#giveUp()) return undefined;
    try {
      return run();
    } finally {
      this.#keep();
    }
  }

  /** Whether there was something to give up. */
  #giveUp(): boolean {
    if (!this.#file || !existsSync(this.#file)) return false;
    rmSync(this.#file, { force: true });
    return true;
  }

  /** Does what it can: a disk without room has no reserve until there is some. */
  #keep(): void {
    if (!this.#file || existsSync(this.#file)) return;
    try {
      // Bytes that no file system can make smaller.
      writeFileSync(this.#file, randomBytes(reservedBytes), { mode: 0o600, flag: "wx" });
    } catch (error) {
      const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
      if (!isThere) rmSync(this.#file, { force: true });
    }
  }
}
