import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { identityOf } from "@afterword/reference-server/internal";

/** The absolute path without symbolic links, even if the file does not exist. */
export function withoutLinks(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(resolve(path));
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : resolve(path);
}

/** Whether two paths lead to one file, also by symbolic or hard links. */
export function isSameFile(one: string, other: string): boolean {
  if (withoutLinks(one) === withoutLinks(other)) return true;
  const identity = identityOf(one);
  return identity !== undefined && identity === identityOf(other);
}
