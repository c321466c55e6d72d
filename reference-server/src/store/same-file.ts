import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** The absolute path without symbolic links, even if the file does not exist. */
export function withoutLinks(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(resolve(path));
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : resolve(path);
}

/** Device and number of what is at a path, links followed; `undefined` where nothing is. */
export function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

/** Whether two paths lead to one file, also by symbolic or hard links. */
export function isSameFile(one: string, other: string): boolean {
  if (withoutLinks(one) === withoutLinks(other)) return true;
  const identity = identityOf(one);
  return identity !== undefined && identity === identityOf(other);
}
