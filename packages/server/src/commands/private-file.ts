import { open, rename, rm } from "node:fs/promises";

/**
 * Writes a file that only its owner can read, and renames it into place once it is complete: an existing file's
 * permissions are not kept, and an error leaves no half-written file.
 */
export async function writePrivately<T>(
  path: string,
  write: (append: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const part = `${path}.part`;
  await rm(part, { force: true });
  const output = await open(part, "wx", 0o600);
  try {
    const result = await write((text) => output.appendFile(text));
    await output.sync();
    await output.close();
    await rename(part, path);
    return result;
  } catch (error) {
    await output.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
}
