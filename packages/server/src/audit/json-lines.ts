import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { flush } from "@afterword/reference-server/internal";

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

/** Creates a missing file. @throws Error when lines cannot be appended */
export function checkJsonLines(path: string): void {
  const descriptor = openSync(path, "a+", mode);
  try {
    endsUnfinished(descriptor);
    flush(dirname(path));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Appends a line; resolves when it is on disk. The file is opened for each line, so that one that a collector has renamed is
 * followed by a new one. Never truncates: another process may have appended behind an incomplete line.
 *
 * @param cutMark ends a line that was cut off
 * @throws Error when not all of it was written: a full disk stores the beginning without an error
 */
export async function appendJsonLine(
  path: string,
  line: object,
  cutMark = "",
  write: WriteBytes = writeSync,
): Promise<void> {
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
}
