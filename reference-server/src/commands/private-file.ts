import { lstat, open, rename, rm } from "node:fs/promises";
import { Mistake } from "../domain/mistake.ts";

/** Whether there is something under this name that would be replaced. @throws Mistake for what is no file */
export async function isThere(path: string): Promise<boolean> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found && !found.isFile()) throw new Mistake(`${path} is no plain file: give the name of one.`);
  return found !== undefined;
}

/**
 * Writes a file that only its owner can read, and puts it in its place when it is whole: one that is there already keeps
 * neither its readers nor, after a fault, half of the new one.
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
