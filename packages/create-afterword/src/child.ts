import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { isWindows, Problem } from "./problem.ts";

interface Options {
  folder: string;
  environment: NodeJS.ProcessEnv;
  /** Whether it writes to this terminal. Otherwise its output is kept. */
  isShown?: boolean;
}

/** A program that was started, in a group of its own, so that it ends with the programs that it starts. */
class Child {
  readonly #process: ChildProcess;
  /** Resolves to its exit code. @throws Problem if it could not be started */
  readonly ended: Promise<number>;
  hasEnded = false;
  /** Of both streams. */
  output = "";
  #signal: NodeJS.Signals | undefined;

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
    this.ended = once(this.#process, "close")
      .then(
        ([code]) => (code as number | null) ?? 1,
        (error: NodeJS.ErrnoException) => {
          const reason =
            error.code === "ENOENT" ? "is not installed, or not in the PATH" : `did not start: ${error.code}`;
          throw new Problem(`${command} ${reason}. Correct that, and run it again.`);
        },
      )
      .finally(() => (this.hasEnded = true));
    // Who waits for it gets the error; nobody has to.
    this.ended.catch(() => undefined);
  }

  /** The first line of standard output. Resolves to `undefined` if it ends without one. */
  async firstLine(): Promise<string | undefined> {
    const lines = createInterface({ input: this.#process.stdout! });
    const [line] = await Promise.race([once(lines, "line"), once(lines, "close")]);
    return line as string | undefined;
  }

  /** Ends it and what it has started. Sends a signal once: programs take a second one for an order to end at once. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const { pid } = this.#process;
    if (pid === undefined || this.hasEnded) return;
    try {
      if (signal !== this.#signal) process.kill(isWindows ? pid : -pid, (this.#signal = signal));
    } catch {
      // Nothing of the group is left.
    }
    await this.ended;
  }

  /** What it says is wrong, in one line without a period. */
  complaint(): string {
    const lines = this.output
      .split("\n")
      .map((line) => line.replace(/^[\s│├╰─▶×]+/u, ""))
      .filter((line) => !/^npm error (code|syscall|errno)\b/.test(line));
    const telling = [/failed|not found|no space|denied|refused|could not|in use/i, /error/i, /\S/];
    const found = telling.map((words) => lines.find((line) => words.test(line)));
    return (found.find(Boolean) ?? "it ended")
      .replace(/^(npm )?(error|err!)[:\s]+/i, "")
      .slice(0, 300)
      .replace(/\.\s*$/, "");
  }
}

/** Starts programs, which end together: when this one is interrupted or fails, and at the latest with it. */
export class Programs {
  readonly #children: Child[] = [];
  readonly #interrupted: AbortSignal;

  constructor(interrupted: AbortSignal) {
    this.#interrupted = interrupted;
    interrupted.addEventListener("abort", () => void this.end());
  }

  start(command: readonly string[], options: Options): Child {
    this.#interrupted.throwIfAborted();
    const child = new Child(command, options);
    this.#children.push(child);
    return child;
  }

  /** Ends them one after the other, the last one first: an app may still need the server that began before it. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    for (const child of this.#children.toReversed()) await child.end(signal);
  }
}
