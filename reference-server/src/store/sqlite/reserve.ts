import { randomBytes } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { isDiskFull } from "./sqlite-error.ts";

/**
 * Far more than an erasure of a person, or a step of retention, writes to the log. The database grows by up to 3 MiB when a
 * log of its usual length moves into it.
 */
export const reservedBytes = 4 * 1024 * 1024;

/**
 * Disk space that is kept beside the database for a full disk. SQLite needs room even to delete, so without it no erasure
 * would succeed, and none could make room (decision O28).
 */
export class Reserve {
  readonly #file: string | undefined;

  private constructor(file: string | undefined) {
    this.#file = file;
  }

  /** @param database its path; absent for one in memory, which needs no reserve */
  static keptFor(database: string | undefined): Reserve {
    const reserve = new Reserve(database === undefined ? undefined : `${database}.reserve`);
    reserve.#keep();
    return reserve;
  }

  /** The one that is kept beside a database, if there is one. */
  static beside(database: string): Reserve {
    return new Reserve(`${database}.reserve`);
  }

  /** Runs work that frees space. On a full disk deletes the reserve, runs it again, and restores the reserve if it can. */
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
  withReserveFreed<T>(run: () => T): T | undefined {
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

  /** On a full disk there is no reserve until there is room for it. */
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
