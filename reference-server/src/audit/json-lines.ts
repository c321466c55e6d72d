import { fstatSync, readSync } from "node:fs";

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
export function endsUnfinished(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return false;
  if (byteAt(descriptor, 0) !== "{") throw new Error("it holds something else; choose another path.");
  return byteAt(descriptor, size - 1) !== "\n";
}
