import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isDiskFull } from "./sqlite-error.ts";

/**
 * Far more than an erasure of a person, or a step of retention, writes to the log. The database grows by up to 3 MiB when a
 * log of its usual length moves into it.
 */
export const reservedBytes = 4 * 1024 * 1024;

/** A reserve that lines of logs have taken a little from is still good for thousands of erasures. */
const leastReservedBytes = reservedBytes - 512 * 1024;

/**
 * Disk space that is kept beside the database for a full disk. SQLite needs room even to delete, so without it no erasure
 * would succeed, and none could make room.
 */
export class Reserve {
  readonly #file: string | undefined;
  #uses = 0;

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
    this.#uses++;
    try {
      return await run();
    } catch (error) {
      if (!isDiskFull(error) || !this.#giveUp()) throw error;
      return await run();
    } finally {
      this.#uses--;
      this.#keep();
    }
  }

  /** Runs work with the reserve given up from the start, if the disk is full, until the end of all that needs it. */
  async spending<T>(isFull: boolean, run: () => Promise<T>): Promise<T> {
    this.#uses++;
    if (isFull) this.#giveUp();
    try {
      return await run();
    } finally {
      this.#uses--;
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
    if (!this.#file || this.#uses > 0 || existsSync(this.#file)) return;
    try {
      // Bytes that no file system can make smaller.
      writeFileSync(this.#file, randomBytes(reservedBytes), { mode: 0o600, flag: "wx" });
    } catch (error) {
      const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
      const bytes = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
      if (!isThere && bytes < leastReservedBytes) rmSync(this.#file, { force: true });
    }
  }
}
