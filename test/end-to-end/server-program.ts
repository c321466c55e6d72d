import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startServer, type ProjectConfig } from "@afterword/server";
import { endOf } from "../program-end.ts";

/** The program as it is published. */
export const serverProgram = fileURLToPath(new URL("../../packages/server/dist/cli.js", import.meta.url));

/** The least that a survey is. */
export const survey = {
  id: "s",
  slug: "s",
  type: "csat",
  question: "How?",
  presentation: "corner",
  trigger: "manual",
};

/** A folder of its own, in which the published program is run as people run it. */
export class ServerFolder implements Disposable {
  /** Variables that the program is given beside its parent's. */
  environment: Record<string, string> = {};
  /** Where the log of `serve` goes: it is read, or to a reader that takes nothing, or into a file that is open. */
  log: "read" | "stalled" | number = "read";
  readonly path = mkdtempSync(join(tmpdir(), "afterword-server-"));

  file(name: string): string {
    return join(this.path, name);
  }

  /** Makes a database with the project `shop` and its survey `s`, sooner than commands would. */
  async createShop(database = this.file("afterword.db")): Promise<void> {
    const project = {
      id: "shop",
      name: "Shop",
      allowedOrigins: [],
      surveys: [{ ...survey, status: "active" }],
    };
    const server = await startServer({ config: { projects: [project as ProjectConfig] }, database });
    await server.close();
  }

  /** Runs one command to its end. */
  run(...words: string[]) {
    const env = { ...process.env, ...this.environment };
    const stdio = ["ignore", "pipe", "pipe"] as const;
    return endOf(
      spawn(process.execPath, [serverProgram, ...words], { cwd: this.path, env, stdio: [...stdio] }),
    );
  }

  /** Starts `serve`; ready when it has printed its one line. */
  async serve(...words: string[]): Promise<ServerProgram> {
    const child = spawn(process.execPath, [serverProgram, "serve", "--json", "--port", "0", ...words], {
      cwd: this.path,
      env: { ...process.env, ...this.environment },
      stdio: ["ignore", "pipe", typeof this.log === "number" ? this.log : "pipe"],
    });
    const errors: string[] = [];
    const readLog = () => createInterface(child.stderr!).on("line", (line) => errors.push(line));
    if (this.log === "read") readLog();
    const exit = once(child, "exit") as Promise<[number | null]>;
    const first = await Promise.race([once(createInterface(child.stdout!), "line"), exit]);
    if (typeof first[0] !== "string") throw new Error(`serve ended with ${first[0]}:\n${errors.join("\n")}`);
    const started = JSON.parse(first[0]) as Pick<ServerProgram, "url" | "adminUrl" | "projects">;
    const stop = async () => {
      child.kill("SIGTERM");
      const [code] = await exit;
      return code;
    };
    const kill = () => void child.kill("SIGKILL");
    return {
      ...started,
      log: errors,
      readLog,
      kill,
      ended: exit,
      stop,
      [Symbol.asyncDispose]: async () => void (await stop()),
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export interface ServerProgram extends AsyncDisposable {
  url: string;
  adminUrl: string;
  projects: { id: string; publishableKey: string; secretKey?: string }[];
  /** Lines on stderr. */
  log: string[];
  /** Begins to read a log that was stalled. */
  readLog(): void;
  /** Without a chance to finish anything. */
  kill(): void;
  /** Resolves when the process has ended, however that came. */
  ended: Promise<unknown>;
  /** Resolves with the exit code. */
  stop(): Promise<number | null>;
}
