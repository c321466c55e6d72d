import { globSync } from "node:fs";
import { join } from "node:path";

/** Where a program stands, if it is installed: by its name on the path, or by a pattern. */
export function findProgram(nameOrPattern: string): string | undefined {
  if (nameOrPattern.startsWith("/")) return globSync(nameOrPattern)[0];
  const folders = (process.env["PATH"] ?? "").split(":");
  return globSync(folders.map((folder) => join(folder, nameOrPattern)))[0];
}
