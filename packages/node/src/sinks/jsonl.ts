import type { Stats } from "node:fs";
import { type FileHandle, mkdir, open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { platform } from "node:os";
import { dirname } from "node:path";
import { defineSink, type DeliverableScore, type Outcome, type Sink } from "../scores/sink.ts";
import type { Logger } from "../options/logger.ts";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { member, parseJson } from "../options/json.ts";
import { lockFile } from "./file-lock.ts";

/** What `jsonl` takes. */
export interface JsonlOptions {
  /** The file. It and its folder are created if missing. */
  path: string;
  /** Warned of a file that other users of this machine can read. Default: the console. */
  logger?: Pick<Logger, "warn"> | undefined;
}

/** Waiting does not help: the path, its permissions or the other process has to change. */
const fatalCodes = /^E(ACCES|ISDIR|LOOP|NAMETOOLONG|NOENT|NOTDIR|PERM|ROFS|EXIST)$/;
/** The code of an error: the path leads to a device or a folder. */
const notAFile = "is not a regular file";

type Failed = Extract<Outcome, { outcome: "retry" | "fatal" }>;

/** What this process knows of the file since it has used it. */
type Known = Pick<Stats, "dev" | "ino" | "size"> & { ids: Set<string> };
/** Returns what is then known of the file; `undefined` if the next operation has to read it. */
type Operation = (file: FileHandle, known: Known) => Promise<Known | undefined>;

/**
 * Writes one line of JSON per score to a file on this machine. An id that the file contains is not written again, so it
 * is safe to run again after any crash. A score counts as delivered once it is on the disk. Processes on one machine use
 * the file in turns.
 */
export function jsonl(options: JsonlOptions): Sink {
  const { path, logger = console } = options;
  if (typeof path !== "string" || path === "")
    throw new ConfigurationError("The jsonl sink needs the path of its file.");
  let known: Known | undefined;
  let last: Promise<Failed | undefined> = Promise.resolve(undefined);
  /** Collects scores until its turn comes, so that they share one wait for the disk. */
  let batch: { scores: DeliverableScore[]; written: typeof last } | undefined;
  let hasWarned = false;

  /**
   * Opens the file for one operation. Erasures, editors, `sed -i` and log rotation put another file there, and lines appended
   * to the old one would be lost.
   */
  async function locked(work: Operation): Promise<undefined> {
    // oxlint-disable-next-line no-unused-vars -- held until the end of the block
    await using _lock = await lockFile(await realPathOf(path));
    const before = known;
    // After an error the state of the file's end is unknown: the next operation reads it again.
    known = undefined;
    await using file = await open(path, "a+", 0o600);
    const found = await file.stat();
    if (!found.isFile()) throw failure(notAFile);
    // Never on Windows, whose permissions Node does not show.
    if (!hasWarned && platform() !== "win32" && (found.mode & 0o004) !== 0) {
      logger.warn(`jsonl: every user of this machine can read ${path}; chmod 600 keeps it private`);
      hasWarned = true;
    }
    known = await work(file, isSame(before, found) ? before : await mended(file, path));
  }

  const inTurn = (work: Operation) =>
    (last = last.then(() => {
      batch = undefined;
      return locked(work).then(undefined, (error) => failureOf(path, error));
    }));

  return defineSink({
    name: "jsonl",
    batchSize: 100,
    textByDefault: "include",
    async deliver(added) {
      const scores: DeliverableScore[] = [];
      batch ??= { scores, written: inTurn((file, of) => append(file, path, of, scores)) };
      batch.scores.push(...added);
      const failed = await batch.written;
      return added.map(() => failed ?? { outcome: "delivered" });
    },
    async eraseScores(scores) {
      const erased = new Set(scores.map(({ id }) => id));
      const failed = await inTurn((file) => rewrite(file, path, erased));
      return scores.map(() =>
        failed ? { outcome: "failed", reason: failed.reason } : { outcome: "erased" },
      );
    },
    close: async () => void (await last),
  });
}

const isSame = (known: Known | undefined, found: Pick<Known, "dev" | "ino" | "size">): known is Known =>
  known?.ino === found.ino && known.dev === found.dev && known.size === found.size;

/** The file that the path leads to, created if missing: other paths to it have the same lock. */
const realPathOf = (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    await mkdir(dirname(path), { recursive: true });
    // Only the owner may read it: it contains people's own words.
    await (await open(path, "a+", 0o600)).close();
    return realpath(path);
  });

/** Reads the ids, and mends the end that a crash has left. */
async function mended(file: FileHandle, path: string): Promise<Known> {
  const ids = new Set<string>();
  let [size, torn] = [0, ""];
  for await (const line of linesOf(file)) {
    const id = idOf(line);
    if (id !== undefined) ids.add(id);
    size += line.length;
    torn = line.endsWith("\n") ? "" : line;
  }
  const isCut = torn !== "" && idOf(torn) === undefined && isOurs(torn);
  // A torn line of ours, whose score is delivered again.
  if (isCut) await file.truncate((size -= torn.length));
  else if (torn !== "") {
    await file.appendFile("\n");
    size += 1;
  }
  // An earlier process may have died before its lines reached the disk.
  await file.datasync();
  await syncDirectory(path);
  // The size that was read shows the next operation what another program has added since.
  const { dev, ino } = await file.stat();
  return { dev, ino, size, ids };
}

/** The lines are on the disk when it returns. */
async function append(
  file: FileHandle,
  path: string,
  known: Known,
  scores: readonly DeliverableScore[],
): Promise<Known> {
  // After an error, what is known of the file is forgotten.
  const fresh = scores.filter(({ id }) => !known.ids.has(id) && known.ids.add(id));
  if (fresh.length === 0) return known;
  const bytes = Buffer.from(fresh.map(lineOf).join(""));
  try {
    await file.appendFile(bytes);
    await file.datasync();
  } catch (error) {
    await file.truncate(known.size).catch(() => undefined);
    throw error;
  }
  const written = { ...known, size: known.size + bytes.length };
  const found = await stat(path).catch(() => undefined);
  if (!found || !isSame(written, found)) throw failure("the file was replaced");
  return written;
}

/** Rewrites the file without the lines of these ids. A crash leaves either the old file or the new one. */
async function rewrite(file: FileHandle, path: string, erased: ReadonlySet<string>): Promise<undefined> {
  const target = await realpath(path);
  const copy = `${target}.rewrite`;
  const kept = async function* () {
    for await (const line of linesOf(file)) if (!erased.has(idOf(line) ?? "")) yield line;
  };
  try {
    await writeFile(copy, kept(), { encoding: "latin1", flush: true, mode: 0o600 });
    await rename(copy, target);
    // A running forwarder or a reader still has the old file open, with what was erased.
    await file.truncate(0);
  } catch (error) {
    await rm(copy, { force: true });
    throw error;
  }
  await syncDirectory(target);
}

/** The id comes first, so that a torn line can be recognised as ours. */
const lineOf = ({ id, ...score }: DeliverableScore) => `${JSON.stringify({ id, ...score })}\n`;
const ourLinesBegin = '{"id":"';
const isOurs = (torn: string) =>
  torn.startsWith(ourLinesBegin) || ourLinesBegin.startsWith(torn) || /^\0+$/.test(torn);

/** The lines with their newlines, a character for each byte, so that sizes can be counted; a torn last line has none. */
async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 18 })) {
    const lines = Buffer.from(chunk).toString("latin1").split("\n");
    // The rest is not searched again: a torn line may be long.
    lines[0] = rest + lines[0]!;
    rest = lines.pop()!;
    for (const line of lines) yield `${line}\n`;
  }
  if (rest !== "") yield rest;
}

function idOf(line: string): string | undefined {
  const id = member(parseJson(Buffer.from(line, "latin1").toString("utf8")), "id");
  return typeof id === "string" ? id : undefined;
}

/** A new file name is on the disk only after its directory is synced. Systems that cannot open directories do not need it. */
async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(dirname(path), "r").catch(() => undefined);
  await directory?.sync().catch(() => undefined);
}

const failure = (code: string) => Object.assign(new Error(code), { code });

/** A failed write, such as on a full disk, concerns all scores. */
function failureOf(path: string, error: unknown): Failed {
  const { code = "unknown error" } = error as NodeJS.ErrnoException;
  if (code === notAFile) return { outcome: "fatal", reason: `jsonl: ${path} ${code}` };
  const reason = `jsonl: writing ${path} failed: ${code}`;
  return fatalCodes.test(code) ? { outcome: "fatal", reason } : { outcome: "retry", scope: "sink", reason };
}
