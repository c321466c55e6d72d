import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
// As a whole a type import: the program itself would listen to the messages of this process too.
import type { DiskOrder, DiskReport } from "./small-disk-program.ts";

const program = fileURLToPath(new URL("./small-disk-program.ts", import.meta.url));
/** A file system of its own in a folder, which the rest of the machine does not see. */
const unshare = ["--mount", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"])];
const mountAt = (folder: string, diskInKiB: number) =>
  `mount -t tmpfs -o size=${diskInKiB}k tmpfs '${folder}'`;

/** Whether this machine lets a process mount a disk in a namespace of its own. */
export function canMountDisks(): boolean {
  return spawnSync("unshare", [...unshare, "sh", "-c", mountAt(tmpdir(), 1024)]).status === 0;
}

/** A server on a disk of its own, four MiB of which it keeps aside. */
export class SmallDisk implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "afterword-disk-"));
  readonly #process: ChildProcess;

  constructor(diskInKiB = 6144) {
    const command = `${mountAt(this.#folder, diskInKiB)} && exec "$0" "$@"`;
    const run = [process.execPath, program, this.#folder];
    this.#process = spawn("unshare", [...unshare, "sh", "-c", command, ...run], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
  }

  /** Resolves when it is done. */
  async order(order: DiskOrder): Promise<DiskReport> {
    const report = await new Promise<DiskReport>((resolve) => {
      const onExit = (code: number | null) => resolve({ failure: `The program ended with ${code}.` });
      this.#process.once("exit", onExit);
      this.#process.once("message", (message) => {
        this.#process.off("exit", onExit);
        resolve(message as DiskReport);
      });
      this.#process.send(order);
    });
    if (report.failure !== undefined) throw new Error(report.failure);
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
