import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Problem } from "./problem.ts";

const isWindows = process.platform === "win32";

interface Options {
  folder: string;
  environment: NodeJS.ProcessEnv;
  /** Whether it writes to this terminal. Otherwise its output is kept. */
  isShown?: boolean;
}

/** A program that was started, in a group of its own, so that it ends with the programs that it starts. */
export class Child {
  readonly #process: ChildProcess;
  readonly ended: Promise<number>;
  /** Of both streams. */
  output = "";

  constructor(
    [command = "", ...words]: readonly string[],
    { folder, environment, isShown = false }: Options,
  ) {
    this.#process = spawn(command, words, {
      cwd: folder,
      env: environment,
      stdio: ["ignore", isShown ? "inherit" : "pipe", isShown ? "inherit" : "pipe"],
      detached: !isWindows,
      // The programs of package managers are scripts there.
      shell: isWindows,
    });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => (this.output += text));
    this.ended = once(this.#process, "close").then(
      ([code]) => (code as number | null) ?? 1,
      (error: NodeJS.ErrnoException) => {
        const reason =
          error.code === "ENOENT" ? "is not installed, or not in the PATH" : `did not start: ${error.code}`;
        throw new Problem(`${command} ${reason}. Correct that, and run it again.`, 1, { cause: error });
      },
    );
    // Who waits for it gets the error; nobody has to.
    this.ended.catch(() => undefined);
  }

  /** The first line of standard output. Resolves to `undefined` if it ends without one. */
  async firstLine(): Promise<string | undefined> {
    let text = "";
    for await (const part of this.#process.stdout!.iterator({ destroyOnReturn: false })) {
      text += part;
      if (text.includes("\n")) break;
    }
    return text.includes("\n") ? text.split("\n")[0] : undefined;
  }

  /** Ends it and what it has started. */
  async end(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#process;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    if (isWindows) this.#process.kill();
    else process.kill(-pid, "SIGTERM");
    await this.ended;
  }

  /** What it says is wrong, in one line without a period. */
  complaint(): string {
    const lines = this.output
      .split("\n")
      .map((line) => line.replace(/^[\s│├╰─▶×]+/u, ""))
      .filter((line) => !/^npm error (code|syscall|errno)\b/.test(line));
    const says = (words: RegExp) => lines.find((line) => words.test(line));
    const line =
      says(/failed|not found|no space|denied|refused|could not|in use/i) ??
      says(/error/i) ??
      says(/\S/) ??
      "it ended";
    return line
      .replace(/^(npm )?(error|err!)[:\s]+/i, "")
      .slice(0, 300)
      .replace(/\.\s*$/, "");
  }
}

/** Runs a program to its end. @throws Problem with what it says is wrong */
export async function run(
  command: readonly string[],
  options: Options,
  interrupted: AbortSignal,
): Promise<void> {
  const child = new Child(command, options);
  const end = () => void child.end().catch(() => undefined);
  interrupted.addEventListener("abort", end, { once: true });
  const code = await child.ended.finally(() => interrupted.removeEventListener("abort", end));
  interrupted.throwIfAborted();
  if (code !== 0) throw new Problem(child.complaint(), 1);
}
