import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Problem } from "./problem.ts";

const reasons: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ELOOP: "a link in its path leads to itself",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "a folder of its path cannot be made",
  ENOTDIR: "a part of its path is a file",
  EEXIST: "it exists already",
  ENOSPC: "the disk is full",
};

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "code" in error && "path" in error;

/** Writes files that are new, and takes them back. It replaces nothing. */
export class NewFiles {
  readonly folder: string;
  readonly #files: string[] = [];
  /** Innermost first. */
  readonly #folders: string[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  /** @param isSecret whether only the owner may read it @throws Problem if the file exists or cannot be written */
  write(name: string, text: string, isSecret = false): void {
    const path = join(this.folder, name);
    try {
      this.#makeFolder(dirname(path));
      writeFileSync(path, text, { flag: "wx", mode: isSecret ? 0o600 : 0o666 });
      this.#files.push(path);
    } catch (error) {
      if (!isFileError(error)) throw error;
      const reason = reasons[error.code ?? ""] ?? error.code;
      throw new Problem(`Could not write ${path}: ${reason}. Choose a folder for new files.`, 1, {
        cause: error,
      });
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

  /** Does the work; where it fails, removes what was written, other entries that are named, and folders that are then empty. */
  async attempt<Result>(others: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const before = others.filter((name) => existsSync(join(this.folder, name)));
    try {
      return await work();
    } catch (error) {
      const made = others.filter((name) => !before.includes(name)).map((name) => join(this.folder, name));
      for (const path of [...this.#files, ...made])
        if (existsSync(path)) rmSync(path, { recursive: true, force: true });
      for (const folder of this.#folders) if (readdirSync(folder).length === 0) rmdirSync(folder);
      throw error;
    }
  }
}
