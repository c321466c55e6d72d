import { mkdir, realpath, rename, rm, stat } from "node:fs/promises";
import { platform } from "node:os";
import { dirname } from "node:path";
import { parseJson } from "../options/json.ts";
import { type FileLock, waitForLock } from "./file-lock.ts";
import { IdSet } from "./id-set.ts";
import { type ReadableFile, readLines } from "./read-lines.ts";

/** The part of Node's `FileHandle` that the sink needs, so that its types need none of Node's. */
interface OpenedFile extends ReadableFile {
  stat(): Promise<{ isFile(): boolean; mode: number; ino: number; dev: number; size: number }>;
  appendFile(data: string | Uint8Array): Promise<void>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens files; an argument so that a test can simulate a full disk. */
export type OpenFile = (path: string, flags: string, mode?: number) => Promise<OpenedFile>;

/** The file is not a regular file. */
export class UnusableFileError extends Error {}

/** The file was replaced while the lines were written; they have to be written again. */
class ReplacedFileError extends Error {
  readonly code = "the file was replaced";
}

const ourLinesBegin = '{"id":"';

/**
 * A file with one JSON object per line, each with its own id. Opening it reads the ids and removes a torn last line that
 * a crash has left. Lines are on the disk when `append` returns.
 */
export class JsonlFile {
  readonly ids = new IdSet();
  /** Never on Windows, whose permissions Node does not show. */
  readonly isReadableByAll: boolean;
  #handle: OpenedFile;
  #path: string;
  #sizeInBytes = 0;

  private constructor(path: string, handle: OpenedFile, mode: number) {
    this.isReadableByAll = platform() !== "win32" && (mode & 0o004) !== 0;
    this.#path = path;
    this.#handle = handle;
  }

  /** Locks the file for one operation, so that an erasure can come between those of a forwarder. */
  static async lock(path: string, openFile: OpenFile): Promise<FileLock> {
    const real = await realpath(path).catch(async () => {
      await mkdir(dirname(path), { recursive: true });
      // Only the owner may read it: it contains people's own words.
      await (await openFile(path, "a+", 0o600)).close();
      return realpath(path);
    });
    return await waitForLock(real);
  }

  /** To be called with the lock. */
  static async open(path: string, openFile: OpenFile): Promise<JsonlFile> {
    const handle = await openFile(path, "a+", 0o600);
    try {
      const found = await handle.stat();
      if (!found.isFile()) throw new UnusableFileError("is not a regular file");
      const file = new JsonlFile(path, handle, found.mode);
      await file.#readIds();
      await syncDirectory(path, openFile);
      return file;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * Whether the path still leads to the open file, and only this process has written to it. Erasures, editors, `sed -i` and
   * log rotation put another file there, and lines appended to the old one are lost.
   */
  async isInPlace(): Promise<boolean> {
    const [opened, there] = await Promise.all([this.#handle.stat(), stat(this.#path).catch(() => undefined)]);
    const isSame = opened.ino === there?.ino && opened.dev === there.dev;
    return isSame && opened.size === this.#sizeInBytes;
  }

  async append(lines: readonly string[]): Promise<void> {
    const bytes = Buffer.from(lines.join(""));
    try {
      await this.#handle.appendFile(bytes);
      await this.#handle.datasync();
      this.#sizeInBytes += bytes.length;
    } catch (error) {
      await this.#handle.truncate(this.#sizeInBytes).catch(() => undefined);
      throw error;
    }
    if (!(await this.isInPlace())) throw new ReplacedFileError();
  }

  /** Rewrites the file without the lines of these ids. A crash leaves either the old file or the new one. */
  async rewriteWithout(ids: ReadonlySet<string>, openFile: OpenFile): Promise<void> {
    const target = await realpath(this.#path);
    const copy = `${target}.rewrite`;
    const written = await openFile(copy, "w", 0o600);
    try {
      for await (const { bytes } of readLines(this.#handle)) {
        if (!ids.has(idOf(bytes) ?? "")) await written.appendFile(bytes);
      }
      await written.datasync();
      await rename(copy, target);
      // A running forwarder or a reader still has the old file open, with what was erased.
      await this.#handle.truncate(0);
    } catch (error) {
      await rm(copy, { force: true });
      throw error;
    } finally {
      await written.close();
    }
    await syncDirectory(target, openFile);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #readIds(): Promise<void> {
    let torn: Buffer | undefined;
    for await (const { bytes, isWhole } of readLines(this.#handle)) {
      const id = idOf(bytes);
      if (id !== undefined) this.ids.add(id);
      if (isWhole) this.#sizeInBytes += bytes.length;
      else torn = bytes;
    }
    if (torn !== undefined) await this.#mend(torn);
    // An earlier process may have died before its lines reached the disk.
    await this.#handle.datasync();
  }

  /**
   * Cuts a torn line of ours, whose score is delivered again, and completes any other line, such as one that only lacks
   * its newline.
   */
  async #mend(torn: Buffer): Promise<void> {
    const text = torn.toString("utf8");
    const isOurs = text.startsWith(ourLinesBegin) || ourLinesBegin.startsWith(text) || /^\0+$/.test(text);
    if (idOf(torn) === undefined && isOurs) return await this.#handle.truncate(this.#sizeInBytes);
    await this.#handle.appendFile("\n");
    this.#sizeInBytes += torn.length + 1;
  }
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
