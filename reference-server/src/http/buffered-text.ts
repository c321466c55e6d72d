import { randomUUID } from "node:crypto";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StoreUnavailable } from "../store/store-errors.ts";

const mostInMemory = 1024 * 1024;

/** Unlinked before anything is written: only this process can read the file, and it ends with the process. */
async function openUnlinked(folder: string): Promise<FileHandle> {
  const path = join(folder, `.afterword-export-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Reads texts to their end at full speed, so that a slow client does not hold their source. They wait in memory, and beyond a
 * MiB in an unlinked file.
 * @param signal aborted when the client disconnects
 */
export async function bufferedText(
  texts: AsyncIterable<string> | Iterable<string>,
  folder: string,
  signal: AbortSignal,
): Promise<Readable> {
  let file: FileHandle | undefined;
  let waiting: Buffer[] = [];
  let size = 0;
  try {
    for await (const text of texts) {
      if (signal.aborted) throw new StoreUnavailable("the client has disconnected");
      const bytes = Buffer.from(text);
      waiting.push(bytes);
      size += bytes.length;
      if (size > mostInMemory) {
        try {
          file ??= await openUnlinked(folder);
          await file.writeFile(Buffer.concat(waiting));
        } catch (error) {
          throw new StoreUnavailable(`an export cannot be written to ${folder}`, { cause: error });
        }
        waiting = [];
      }
      // Other requests get their turn: reads of an embedded database are synchronous.
      await nextTurn();
    }
    return file?.createReadStream({ start: 0 }) ?? Readable.from(waiting);
  } catch (error) {
    await file?.close();
    throw error;
  }
}
