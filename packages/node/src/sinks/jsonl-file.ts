import { realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { parseJson } from "../options/json.ts";
import { IdSet } from "./id-set.ts";

/** The part of Node's `FileHandle` that the sink needs, so that its types need none of Node's. */
interface OpenedFile {
  stat(): Promise<{ isFile(): boolean; mode: number; ino: number; dev: number; size: number }>;
  createReadStream(options: {
    start: number;
    autoClose: boolean;
    highWaterMark: number;
  }): AsyncIterable<Uint8Array>;
  appendFile(data: string | Uint8Array): Promise<void>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens files; an argument so that a test can simulate a full disk. */
export type OpenFile = (path: string, flags: string, mode?: number) => Promise<OpenedFile>;

/** The code of an error: the path leads to a device or a folder. */
export const notAFile = "is not a regular file";

const ourLinesBegin = '{"id":"';

/** An open file with one JSON object per line, each with its own id. Only one process uses it at a time. */
export type JsonlFile = Awaited<ReturnType<typeof openJsonl>>;

/** Opens a locked file, reads the ids and mends its end. */
export async function openJsonl(path: string, openFile: OpenFile) {
  const handle = await openFile(path, "a+", 0o600);
  const ids = new IdSet();
  let sizeInBytes = 0;

  async function readIds(): Promise<void> {
    for await (const line of linesOf(handle)) {
      const id = idOf(line);
      if (id !== undefined) ids.add(id);
      if (line.at(-1) === newline) sizeInBytes += line.length;
      else await mend(line);
    }
    // An earlier process may have died before its lines reached the disk.
    await handle.datasync();
  }

  /**
   * Cuts a torn line of ours that a crash has left, whose score is delivered again, and completes any other line, such as one
   * that only lacks its newline.
   */
  async function mend(torn: Buffer): Promise<void> {
    const text = torn.toString("utf8");
    const isOurs = text.startsWith(ourLinesBegin) || ourLinesBegin.startsWith(text) || /^\0+$/.test(text);
    if (idOf(torn) === undefined && isOurs) return await handle.truncate(sizeInBytes);
    await handle.appendFile("\n");
    sizeInBytes += torn.length + 1;
  }

  /**
   * Whether the path still leads to the open file, and only this process has written to it. Erasures, editors, `sed -i` and
   * log rotation put another file there, and lines appended to the old one are lost.
   */
  async function isInPlace(): Promise<boolean> {
    const [opened, there] = await Promise.all([handle.stat(), stat(path).catch(() => undefined)]);
    return opened.ino === there?.ino && opened.dev === there.dev && opened.size === sizeInBytes;
  }

  /** The lines are on the disk when it returns. */
  async function append(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(lines.join(""));
    try {
      await handle.appendFile(bytes);
      await handle.datasync();
      sizeInBytes += bytes.length;
    } catch (error) {
      await handle.truncate(sizeInBytes).catch(() => undefined);
      throw error;
    }
    if (!(await isInPlace())) throw failure("the file was replaced");
  }

  const close = () => handle.close().catch(() => undefined);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw failure(notAFile);
    await readIds();
    await syncDirectory(path, openFile);
    const rewriteWithout = (erased: ReadonlySet<string>) => rewrite(handle, path, erased, openFile);
    return { ids, mode: found.mode, isInPlace, append, rewriteWithout, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Rewrites the file without the lines of these ids. A crash leaves either the old file or the new one. */
async function rewrite(handle: OpenedFile, path: string, erased: ReadonlySet<string>, openFile: OpenFile) {
  const target = await realpath(path);
  const copy = `${target}.rewrite`;
  const written = await openFile(copy, "w", 0o600);
  try {
    for await (const line of linesOf(handle))
      if (!erased.has(idOf(line) ?? "")) await written.appendFile(line);
    await written.datasync();
    await rename(copy, target);
    // A running forwarder or a reader still has the old file open, with what was erased.
    await handle.truncate(0);
  } catch (error) {
    await rm(copy, { force: true });
    throw error;
  } finally {
    await written.close();
  }
  await syncDirectory(target, openFile);
}

const failure = (code: string) => Object.assign(new Error(code), { code });

const newline = 0x0a;

/** The lines as bytes, so that sizes can be counted, with their newlines; a torn last line has none. */
async function* linesOf(handle: OpenedFile): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 18 })) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      yield Buffer.concat([...pieces, chunk.subarray(from, end + 1)]);
      pieces = [];
      from = end + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  }
  if (pieces.length > 0) yield Buffer.concat(pieces);
}

function idOf(line: Buffer): string | undefined {
  const { id } = Object(parseJson(line.toString("utf8"))) as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}

/** A new file name is on the disk only after its directory is synced. Systems that cannot open directories do not need it. */
async function syncDirectory(path: string, openFile: OpenFile): Promise<void> {
  const directory = await openFile(dirname(path), "r").catch(() => undefined);
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}
