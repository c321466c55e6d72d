import { basename } from "node:path";
import { Problem } from "./problem.ts";

/** What Windows, shells, package managers or bundlers do not take, each at least once. */
const unusable = /^[-~ ]|[\p{Cc}:*?"<>|#%\\]|[. ]$/u;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d|node_modules)(\.|$)/i;

/** Refuses a name of a new folder in which an app would not work. @throws Problem */
export function checkFolderName(folder: string): void {
  const name = basename(folder);
  if (!unusable.test(name) && !reserved.test(name)) return;
  const why = reserved.test(name)
    ? "is a reserved name"
    : "has characters that programs of the app do not take";
  throw new Problem(`The folder name ${JSON.stringify(name)} ${why}: choose another, such as my-app.`, 2);
}

/** A path as a word of a command. */
export function shellWord(path: string): string {
  if (/^[\w./@-]+$/.test(path)) return path;
  return process.platform === "win32" ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}
