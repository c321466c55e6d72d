import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../domain/usage-error.ts";
import { databasePlace } from "../store/open-store.ts";
import { type Run } from "./define-command.ts";

/** The path without symbolic links, even if the file does not exist. */
function withoutLinks(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(resolve(path));
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : resolve(path);
}

/** Whether a path is the database, one of its files, its key, the audit file or the erasure log. */
export function isOwnFile(path: string, { flags, terminal }: Run): boolean {
  const place = databasePlace(flags.db);
  const own = place.kind === "file" ? place.files : [];
  const named = [flags.keyFile, flags.auditFile, terminal.environment["AFTERWORD_ERASURE_LOG"]].filter(
    (file) => file !== undefined,
  );
  return [...own, ...named].some((file) => withoutLinks(file) === withoutLinks(path));
}

/**
 * @returns whether a regular file is there
 * @throws UsageError for a missing folder, for anything but a regular file, and for the server's own files
 */
export function checkOutputPath(path: string, run: Run): boolean {
  if (path === "-")
    throw new UsageError("This command cannot write to standard output (-): pass a file name.");
  if (!existsSync(dirname(path))) throw new UsageError(`The folder ${dirname(path)} does not exist.`);
  if (isOwnFile(path, run))
    throw new UsageError(`${path} belongs to the server's own database: choose another file.`);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new UsageError(`${path} is not a regular file: choose another path.`);
  return found !== undefined;
}

/** Checks a command's output path before it does anything else, and asks before it replaces a file. @throws UsageError */
export async function checkOutput(path: string, run: Run): Promise<void> {
  if (checkOutputPath(path, run)) await run.confirm(`${path} will be replaced.`, "replace");
}
