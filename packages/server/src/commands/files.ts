import { existsSync, lstatSync, readFileSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { databasePlace, InvalidConfig, UsageError } from "@afterword/reference-server/internal";
import { isSameFile, withoutLinks } from "../health/same-file.ts";
import { type OperatedStore } from "../store/administration.ts";
import { recordedLogs } from "../health/server-files.ts";
import { type DatabaseFlags } from "./flags.ts";
import { confirm } from "./terminal.ts";
import { type Run, type Session } from "./with-service.ts";

const invalid = (problem: string, { message }: Error) =>
  new InvalidConfig([{ path: "", message: `${problem}: ${message.split("\n")[0]}` }]);

/** Reads a file, or standard input for `-`. @param formats for example `JSON` @throws InvalidConfig */
export function readInput(path: string, parse: (text: string) => unknown, formats: string): unknown {
  let text: string;
  try {
    // File descriptor 0 is standard input.
    text = readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    throw invalid(`cannot read ${path}`, error as Error);
  }
  try {
    return parse(text);
  } catch (error) {
    throw invalid(`${path} is ${formats}`, error as Error);
  }
}

/** The first bytes of a file; all of them when it has fewer. */
export async function beginningOf(path: string, length: number): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length));
  return buffer.subarray(0, bytesRead);
}

/** Whether a path is the database, one of its files, its key, or a log that this command was given. */
export function isOwnFile(path: string, { flags, environment }: Run): boolean {
  const place = databasePlace(flags.db);
  const own = place.kind === "file" ? place.files : [];
  const named = [flags.keyFile, flags.auditFile, environment["AFTERWORD_ERASURE_LOG"]].filter(
    (file) => file !== undefined,
  );
  return [...own, ...named].some((file) => isReached(path, file));
}

/** The files that a command with this output writes or deletes on its way. */
const unfinished = /^(\.part|\.unfinished(-wal|-shm|-journal|\.reserve)?)$/;

/** Whether writing to a path replaces or deletes a file. */
function isReached(path: string, file: string): boolean {
  if (isSameFile(path, file)) return true;
  const [output, other] = [withoutLinks(path), withoutLinks(file)];
  return other.startsWith(output) && unfinished.test(other.slice(output.length));
}

/** @throws UsageError when writing to a path would replace a log of a server that this database has or had */
export async function keepLogs(path: string, store: OperatedStore): Promise<void> {
  const logs = await recordedLogs(store);
  if (logs.some((log) => isReached(path, log)))
    throw new UsageError(`${path} is an erasure log or audit file of a server: choose another file.`);
}

/**
 * @returns whether a regular file is there
 * @throws UsageError for a missing folder, for anything but a regular file, and for the server's own files
 */
export async function checkOutputPath(path: string, session: Session): Promise<boolean> {
  if (path === "-")
    throw new UsageError("This command cannot write to standard output (-): pass a file name.");
  if (!existsSync(dirname(path))) throw new UsageError(`The folder ${dirname(path)} does not exist.`);
  if (isOwnFile(path, session))
    throw new UsageError(`${path} belongs to the server's own database: choose another file.`);
  await keepLogs(path, session.service.store);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new UsageError(`${path} is not a regular file: choose another path.`);
  return found !== undefined;
}

/** Checks a command's output path before it does anything else, and asks before it replaces a file. @throws UsageError */
export async function checkOutput(
  path: string,
  session: Session<DatabaseFlags & { yes?: true }>,
): Promise<void> {
  if (await checkOutputPath(path, session)) await confirm(session, `${path} will be replaced.`, "replace");
}

/**
 * Writes a file that only its owner can read, and renames it into place once it is complete: an existing file's
 * permissions are not kept, and an error leaves no half-written file.
 */
export async function writePrivately<T>(
  path: string,
  write: (append: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const part = `${path}.part`;
  await rm(part, { force: true });
  const output = await open(part, "wx", 0o600);
  try {
    const result = await write((text) => output.appendFile(text));
    await output.sync();
    await output.close();
    await rename(part, path);
    return result;
  } catch (error) {
    await output.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
}
