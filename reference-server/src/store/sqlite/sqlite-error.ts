import { StoreUnavailable } from "../store.ts";
import { diskFull } from "../store-unavailable.ts";

/** Conditions that pass, or that an operator can end: nothing is wrong with the request. */
const passing: Readonly<Record<string, string>> = {
  SQLITE_BUSY: "another process is writing",
  SQLITE_LOCKED: "another connection is writing",
  SQLITE_FULL: diskFull,
  SQLITE_IOERR: "the disk cannot be read or written",
  SQLITE_READONLY: "the database file is read-only",
  SQLITE_CANTOPEN: "the database file cannot be opened",
  SQLITE_NOMEM: "out of memory",
};

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY");
}

/** Of the driver's error, or of what `storeError` has made of it. */
export function isDiskFull(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause].some((one) => codeOf(one).startsWith("SQLITE_FULL"));
}

/** The error that callers of the store see. */
export function storeError(error: unknown): unknown {
  const code = codeOf(error);
  const reason = Object.entries(passing).find(([name]) => code === name || code.startsWith(`${name}_`))?.[1];
  return reason ? new StoreUnavailable(reason, { cause: error }) : error;
}

/** What a synchronous read finds; fails as callers of the store expect it. */
export async function read<T>(run: () => T): Promise<T> {
  try {
    return run();
  } catch (error) {
    throw storeError(error);
  }
}
