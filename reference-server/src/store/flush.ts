import { closeSync, fsyncSync, openSync } from "node:fs";

/** Puts a file, or the names in a folder, on disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
