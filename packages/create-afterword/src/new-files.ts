import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { getSystemErrorMessage } from "node:util";
import { isSystemError, Problem } from "./problem.ts";

/** What package managers, Python and `afterword-server dev` leave in the folder of an app. */
const leftByPrograms =
  /^(node_modules|package-lock\.json|(pnpm-lock|pnpm-workspace)\.yaml|(yarn|bun)\.lock|\.yarn|\.pnp\.(cjs|loader\.mjs)|\.venv|\.afterword)$/;

/** Writes files that are new, and takes them back. It replaces nothing. */
export class NewFiles {
  readonly folder: string;
  /** What the folder held; `undefined` if there was none. */
  readonly before: readonly string[] | undefined;
  readonly #files: string[] = [];
  /** Innermost first. */
  readonly #folders: string[] = [];

  constructor(folder: string) {
    this.folder = folder;
    this.before = this.#entries();
  }

  #entries(): string[] | undefined {
    const isFolder = existsSync(this.folder) && statSync(this.folder).isDirectory();
    return isFolder ? readdirSync(this.folder) : undefined;
  }

  /** @param isSecret whether only the owner may read it @throws Problem if the file exists or cannot be written */
  write(name: string, text: string, isSecret = false): void {
    const path = join(this.folder, name);
    try {
      this.#makeFolder(dirname(path));
      writeFileSync(path, text, { flag: "wx", mode: isSecret ? 0o600 : 0o666 });
      this.#files.push(path);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      const reason = getSystemErrorMessage(error.errno!);
      throw new Problem(`Could not write ${path}: ${reason}. Choose a folder for new files.`);
    }
  }

  /** Adds a line to the end of a file, which is new if there is none. */
  addLine(name: string, line: string): void {
    const path = join(this.folder, name);
    if (!existsSync(path)) return this.write(name, `${line}\n`);
    const isWhole = /(^|\n)$/.test(readFileSync(path, "utf8"));
    appendFileSync(path, `${isWhole ? "" : "\n"}${line}\n`);
  }

  #makeFolder(folder: string): void {
    if (existsSync(folder)) return;
    this.#makeFolder(dirname(folder));
    mkdirSync(folder);
    this.#folders.unshift(folder);
  }

  /** Removes what was written, what programs have left, in a person's project only `dev`, and folders that are then empty. */
  undo(isProject: boolean): void {
    const ours = isProject ? /^\.afterword$/ : leftByPrograms;
    const left = this.#entries()?.filter((name) => ours.test(name) && !this.before?.includes(name)) ?? [];
    for (const path of [...this.#files, ...left.map((name) => join(this.folder, name))])
      rmSync(path, { recursive: true, force: true });
    for (const folder of this.#folders) if (readdirSync(folder).length === 0) rmdirSync(folder);
  }
}
