import { UnusableDatabase } from "../unusable-database.ts";

/** What an operator can mend; the driver's own words name no file. */
const faults: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: "is not a SQLite database.",
  SQLITE_CORRUPT: "is damaged: bring a backup back by `restore`.",
  SQLITE_READONLY:
    "cannot be written: the user that runs this must be able to write in it and in its folder.",
  SQLITE_CANTOPEN: "cannot be opened: the user that runs this must be able to write in its folder.",
};

/** What is told of a database that could not be opened, with its name and what to do; any other error as it is. */
export function openingError(error: unknown, database: string): unknown {
  const code = String((error as { code?: unknown }).code);
  const fault = Object.entries(faults).find(([name]) => code === name || code.startsWith(`${name}_`))?.[1];
  return fault ? new UnusableDatabase(`The database ${database} ${fault}`, { cause: error }) : error;
}
