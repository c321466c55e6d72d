import { randomUUID } from "node:crypto";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Maximum of unread output in memory, plus one chunk of the source. */
const memoryInBytes = 1024 * 1024;
const readInBytes = 64 * 1024;

/** Unlinked before anything is written: only this process can read the file, and it ends with the process. */
async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `.afterword-export-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}

/**
 * Reads a source to its end at full speed, so that a slow reader does not hold it (decision D110). Unread output waits in
 * memory, and beyond a MiB in an unlinked file.
 */
export class Spool {
  readonly #folder: string;
  readonly #memory: Uint8Array[] = [];
  #waitingInMemory = 0;
  #file: FileHandle | undefined;
  #writtenToFile = 0;
  #readFromFile = 0;
  #isOver = false;
  #error: unknown;
  #filled: Promise<void> = Promise.resolve();
  #change = Promise.withResolvers<void>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Reads the source to its end, or until `close`. Never rejects: the reader gets the source's error. */
  fill(source: AsyncIterable<string>): Promise<void> {
    return (this.#filled = this.#fill(source));
  }

  async #fill(source: AsyncIterable<string>): Promise<void> {
    try {
      for await (const text of source) {
        if (this.#isOver) return;
        await this.#append(Buffer.from(text));
        this.#tell();
        // Yield to the reader and other requests, because reads of an embedded database are synchronous.
        await nextTurn();
      }
    } catch (error) {
      this.#error = error;
    } finally {
      this.#isOver = true;
      this.#tell();
    }
  }

  /** The chunks in order, for one reader. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { promise } = this.#change;
      const chunk = this.#memory.shift();
      if (chunk) {
        this.#waitingInMemory -= chunk.length;
        yield chunk;
      } else if (this.#readFromFile < this.#writtenToFile) yield await this.#readFile();
      else if (!this.#isOver) await promise;
      else if (this.#error !== undefined) throw this.#error;
      else return;
    }
  }

  /** Stops reading the source and discards unread output. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#memory.length = 0;
    this.#tell();
    await this.#filled;
    await this.#file?.close();
  }

  async #append(bytes: Uint8Array): Promise<void> {
    const isFileRead = this.#readFromFile === this.#writtenToFile;
    if (isFileRead && this.#waitingInMemory < memoryInBytes) {
      this.#memory.push(bytes);
      this.#waitingInMemory += bytes.length;
      return;
    }
    this.#file ??= await openNameless(this.#folder);
    await this.#file.writeFile(bytes);
    this.#writtenToFile += bytes.length;
  }

  async #readFile(): Promise<Uint8Array> {
    const length = Math.min(readInBytes, this.#writtenToFile - this.#readFromFile);
    const { bytesRead, buffer } = await this.#file!.read(
      Buffer.allocUnsafe(length),
      0,
      length,
      this.#readFromFile,
    );
    this.#readFromFile += bytesRead;
    return buffer.subarray(0, bytesRead);
  }

  #tell(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
