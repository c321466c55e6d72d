import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { CannotRun } from "../service/cannot-run.ts";

export interface CommandEnd {
  output: string;
  exitCode: number | null;
  /** Whether the command had to be ended. */
  isTimedOut: boolean;
}

/** Runs a command to its end, or ends it after the time or with the signal. */
export async function runCommand(
  [program = "", ...given]: readonly string[],
  environment: Record<string, string>,
  timeoutInMs: number,
  signal?: AbortSignal,
): Promise<CommandEnd> {
  const child = spawn(program, given, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
    // A group of its own, so that what the command has started ends with it.
    detached: true,
  });
  let isTimedOut = false;
  const kill = () => void (child.pid && process.kill(-child.pid, "SIGKILL"));
  const timer = setTimeout(() => {
    isTimedOut = true;
    kill();
  }, timeoutInMs);
  signal?.addEventListener("abort", kill);
  try {
    const failed = new Promise<never>((_resolve, reject) =>
      child.on("error", (error) => reject(new CannotRun(`cannot start the client: ${error.message}`))),
    );
    const end = Promise.all([text(child.stdout), once(child, "exit") as Promise<[number | null]>]);
    const [output, [exitCode]] = await Promise.race([end, failed]);
    return { output, exitCode, isTimedOut };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", kill);
  }
}
