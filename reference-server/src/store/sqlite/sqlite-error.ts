import { diskFull, StoreUnavailable, UnusableDatabase } from "../store-errors.ts";

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

const unopened = "cannot be opened: the user that runs this must be able to write in its folder.";

/** Faults that an operator can mend when a database is opened; the driver's own words name no file. */
const mendable: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: "is not a SQLite database.",
  SQLITE_CORRUPT: "is damaged: bring a backup back by `restore`.",
  SQLITE_READONLY:
    "cannot be written: the user that runs this must be able to write in it and in its folder.",
  SQLITE_CANTOPEN: unopened,
  EACCES: unopened,
  EROFS: unopened,
};

export function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** The text for an error's code, which may have a suffix, such as `SQLITE_IOERR_WRITE`. */
function textFor(error: unknown, texts: Readonly<Record<string, string>>): string | undefined {
  const code = codeOf(error);
  return Object.entries(texts).find(([name]) => code === name || code.startsWith(`${name}_`))?.[1];
}

export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY");
}

/** Whether the disk is full, by the driver's error or by what `storeError` has made of it. */
export function isDiskFull(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause].some((one) => codeOf(one).startsWith("SQLITE_FULL"));
}

/** The error that callers of the store see. */
export function storeError(error: unknown): unknown {
  const reason = textFor(error, passing);
  return reason ? new StoreUnavailable(reason, { cause: error }) : error;
}

/** The error of a database that cannot be opened, with its name and what to do; any other error as it is. */
export function openingError(error: unknown, database: string): unknown {
  const fault = textFor(error, mendable);
  return fault ? new UnusableDatabase(`The database ${database} ${fault}`, { cause: error }) : error;
}

/** Throws what callers of the store expect. */
export async function withStoreErrors<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw storeError(error);
  }
}
