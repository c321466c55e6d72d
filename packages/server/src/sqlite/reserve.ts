import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type Connection, isDiskFull } from "@afterword/reference-server/internal";

/**
 * Far more than an erasure of a person, or a step of retention, writes to the log. The database grows by up to 3 MiB when a
 * log of its usual length moves into it.
 */
const reservedBytes = 4 * 1024 * 1024;

/** A reserve that lines of logs have taken a little from is still good for thousands of erasures. */
const leastReservedBytes = reservedBytes - 512 * 1024;

/**
 * Disk space that is kept beside the database for a full disk. SQLite needs room even to delete, so without it no erasure
 * would succeed, and none could make room.
 */
export class Reserve {
  readonly #connection: Connection;
  readonly #file: string | undefined;
  #uses = 0;

  /** @param isKept false for a database that ends with the process, which needs no reserve */
  constructor(connection: Connection, isKept: boolean) {
    this.#connection = connection;
    this.#file = isKept ? `${connection.name}.reserve` : undefined;
    this.#keep();
  }

  /** Runs work that frees space. On a full disk deletes the reserve, runs it again, and restores the reserve if it can. */
  async freeing<T>(run: () => Promise<T>): Promise<T> {
    this.take(false);
    try {
      return await run();
    } catch (error) {
      if (!isDiskFull(error) || !this.#giveUp()) throw error;
      return await run();
    } finally {
      this.giveBack();
    }
  }

  /** Deletes the reserve if the disk is full. It is restored once every caller of `take` has called `giveBack`. */
  take(isFull: boolean): void {
    this.#uses++;
    if (isFull) this.#giveUp();
  }

  giveBack(): void {
    this.#uses--;
    this.#keep();
  }

  /** Runs a checkpoint. On a full disk deletes the reserve and retries, if the reserve is large enough. */
  emptying<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (!isDiskFull(error) || this.#growthInBytes() > reservedBytes || !this.#giveUp()) throw error;
      try {
        return run();
      } finally {
        this.#keep();
      }
    }
  }

  /** How much the database grows when all of the log is moved into it. */
  #growthInBytes(): number {
    const size = (name: string) => this.#connection.pragma(name, { simple: true }) as number;
    return size("page_count") * size("page_size") - statSync(this.#connection.name).size;
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
