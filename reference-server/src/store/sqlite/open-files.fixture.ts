import { existsSync, readdirSync, readlinkSync } from "node:fs";

const descriptors = "/proc/self/fd";

/** Whether the system tells what a process has open. */
export const canTellOpenFiles = existsSync(descriptors);

/** Open files of this process that no other process can find: SQLite deletes a temporary file as soon as it is open. */
export function deletedFiles(): string[] {
  const paths = readdirSync(descriptors).flatMap((descriptor) => {
    try {
      return [readlinkSync(`${descriptors}/${descriptor}`)];
    } catch {
      return []; // closed meanwhile, as the one that lists them is
    }
  });
  return paths.filter((path) => path.endsWith("(deleted)")).toSorted();
}
