import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../domain/usage-error.ts";
import { databasePlace } from "../store/open-store.ts";
import { confirm } from "./confirm.ts";
import { type DatabaseFlags } from "./database-flags.ts";
import { type Terminal } from "./terminal.ts";

/** Without links on the way, also of a file that is not there. */
function placeOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(resolve(path));
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : resolve(path);
}

/** Whether a name is that of the database, of something that belongs to it, of its key, or of the erasure log. */
export function isOwnFile(path: string, flags: DatabaseFlags, terminal: Terminal): boolean {
  const place = databasePlace(flags.db);
  const own = place.kind === "file" ? place.files : [];
  const named = [flags.keyFile, terminal.environment["AFTERWORD_ERASURE_LOG"]].filter(
    (file) => file !== undefined,
  );
  return [...own, ...named].some((file) => placeOf(file) === placeOf(path));
}

/**
 * Looks at the place where a command is to write, before it does anything else, and asks before something is replaced.
 * @throws UsageError for a folder that is not there, for what is no file, and for what the server lives on
 */
export async function checkOutput(
  path: string,
  flags: DatabaseFlags & { yes?: boolean },
  terminal: Terminal,
): Promise<void> {
  if (path === "-")
    throw new UsageError("This command cannot write to standard output (-): pass a file name.");
  if (!existsSync(dirname(path))) throw new UsageError(`The folder ${dirname(path)} does not exist.`);
  if (isOwnFile(path, flags, terminal))
    throw new UsageError(`${path} belongs to the server's own database: choose another file.`);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isFile()) throw new UsageError(`${path} is no plain file: give the name of one.`);
  await confirm(terminal, flags.yes, `${path} will be replaced.`, "replace");
}
