import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { flush, UsageError } from "@afterword/reference-server/internal";

const mode = 0o600;

/** Writes some of the bytes at the end of a file and returns how many, as `write(2)` does. */
export type WriteBytes = (descriptor: number, bytes: Buffer) => number;

function byteAt(descriptor: number, position: number): string {
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, position);
  return byte.toString();
}

/**
 * Whether the last line of a file of JSON lines is incomplete: a crash or a full disk may have cut it off, of this
 * process or another.
 * @throws Error when the file holds something else: a misspelt path must not append lines to the database, for one
 */
function endsUnfinished(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return false;
  if (byteAt(descriptor, 0) !== "{") throw new Error("it holds something else; choose another path.");
  return byteAt(descriptor, size - 1) !== "\n";
}

/** A file of JSON lines, to which several processes may append. */
interface JsonLines {
  /** Creates a missing file. @throws Error when lines cannot be appended */
  check(): void;
  /**
   * Appends a line; resolves when it is on disk. The file is opened for each line, so that one that a collector has renamed is
   * followed by a new one. Never truncates: another process may have appended behind an incomplete line.
   * @throws Error when not all of it was written: a full disk stores the beginning without an error
   */
  append(line: object): Promise<void>;
}

/**
 * Opens a log and creates a missing one.
 * @param name what it is, such as `audit file`
 * @param cutMark ends a line that was cut off
 * @throws UsageError when lines cannot be appended
 */
export function openJsonLines(
  path: string,
  name: string,
  cutMark = "",
  write: WriteBytes = writeSync,
): JsonLines {
  const lines: JsonLines = {
    check() {
      const descriptor = openSync(path, "a+", mode);
      try {
        endsUnfinished(descriptor);
        flush(dirname(path));
      } finally {
        closeSync(descriptor);
      }
    },
    async append(line) {
      const handle = await open(path, "a+", mode);
      try {
        const end = endsUnfinished(handle.fd) ? `${cutMark}\n` : "";
        const bytes = Buffer.from(`${end}${JSON.stringify(line)}\n`);
        // In one write, and without a wait since the look at the end: lines of several writers stay whole.
        const written = write(handle.fd, bytes);
        if (written !== bytes.length)
          throw new Error(`${written} of ${bytes.length} bytes were written: the disk is full.`);
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
  try {
    lines.check();
  } catch (error) {
    throw new UsageError(`Could not write to the ${name} ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return lines;
}
