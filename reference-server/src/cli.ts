#!/usr/bin/env node
import { userInfo } from "node:os";
import { createInterface } from "node:readline/promises";
import manifest from "../package.json" with { type: "json" };
import { type ExitCode } from "./commands/exit-codes.ts";
import { type Terminal } from "./commands/terminal.ts";

const oldestNode = 22;

// Before anything else is loaded: on an older Node the database driver takes the process down without a word.
if (Number(process.versions.node.split(".")[0]) < oldestNode) {
  process.stderr.write(`afterword-server needs Node ${oldestNode} or newer; this is ${process.version}.\n`);
  process.exit(2);
}
const [{ destination }, { createProgram }, { runProgram }] = await Promise.all([
  import("pino"),
  import("./commands/program.ts"),
  import("./commands/run-program.ts"),
]);

// Whoever reads only the first lines, as `head` does, wants no more.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const eraseLine = "\r\u001b[2K";

// Databases, their logs, backups and reports hold what people wrote: whatever is made here is its owner's alone.
process.umask(0o077);

/** A container may run as a number that has no name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

const terminal: Terminal = {
  environment: process.env,
  operator: accountName(),
  clock: { now: () => Date.now() },
  fetch,
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  // Collected while the last lines are being written, and on disk or in the pipe when the process ends.
  // A reader that does not keep up loses lines; it must never hold up an answer or fill the memory.
  log: destination({ dest: 2, sync: false, maxLength: 4_000_000 }),
  isWatched: process.stderr.isTTY,
  showProgress(text) {
    if (process.stderr.isTTY) process.stderr.write(eraseLine + text);
  },
  isInteractive: process.stdin.isTTY && process.stderr.isTTY,
  async ask(question) {
    const reader = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await reader.question(question);
    } finally {
      reader.close();
    }
  },
  onStop(stop) {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        stop().then(
          () => process.exit(0),
          () => process.exit(1),
        );
      });
    }
  },
};

const setExitCode = (code: ExitCode) => {
  process.exitCode = code;
};

const versions = { program: manifest.version, node: process.version };
const program = createProgram(terminal, versions, setExitCode);
await runProgram(program, process.argv.slice(2), terminal, setExitCode);
