import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export const read = (path: string): string => readFileSync(join(root, path), "utf8");

const isBuilt = (path: string) => /(^|\/)(node_modules|dist|\.next)(\/|$)/.test(path);

export const glob = (pattern: string): string[] =>
  globSync(pattern, { cwd: root, exclude: isBuilt }).toSorted();
