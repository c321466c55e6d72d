#!/usr/bin/env node
import { write, writeSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { createInterface } from "node:readline/promises";
import manifest from "../package.json" with { type: "json" };
import { type ExitCode } from "./commands/exit-codes.ts";
import { type Terminal } from "./commands/terminal.ts";
import { systemClock } from "./domain/clock.ts";
import { UsageError } from "./domain/usage-error.ts";
import { isNodeSupported, oldestNode } from "./operations/node-version.ts";

// Before anything else is loaded: on an older Node the database driver takes the process down without a word.
if (!isNodeSupported(process.version)) {
  process.stderr.write(`afterword-server needs Node ${oldestNode} or newer; this is ${process.version}.\n`);
  process.exit(2);
}
const [{ LogWriter }, { createProgram }, { forgetEmptyVariables }, { runProgram }] = await Promise.all([
  import("./operations/log-writer.ts"),
  import("./commands/program.ts"),
  import("./commands/empty-values.ts"),
  import("./commands/run-program.ts"),
]);

// Whoever reads only the first lines, as `head` does, wants no more.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`Failed: standard output cannot be written: ${error.message}\n`);
  process.exit(1);
});
// Nobody is left to be told, and what was asked for may be done all the same.
process.stderr.on("error", () => undefined);

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

const stopSignals = ["SIGINT", "SIGTERM"] as const;
/** What a command was interrupted by, and ended after its step. */
let interruptedBy: (typeof stopSignals)[number] | undefined;

const stderr = 2;
/** After everything else has stopped, which takes 9.5 seconds at most (decision O34). */
const lastLinesWithinMs = 400;
/** A command has nothing else to do; one that waited for ever for its log would hang in every script. */
const auditWithinMs = 10_000;
let isServing = false;

// On disk or in the pipe when the process ends. A reader that does not keep up never holds up an answer.
const log = new LogWriter({
  write: (bytes, done) => write(stderr, bytes, done),
  writeSync: (bytes) => writeSync(stderr, bytes),
  after(delayInMs, run) {
    const timer = setTimeout(run, delayInMs);
    return () => clearTimeout(timer);
  },
});
process.on("exit", () => log.writeRest());

forgetEmptyVariables(process.env);

const terminal: Terminal = {
  environment: process.env,
  operator: accountName(),
  host: hostname(),
  clock: systemClock,
  fetch,
  print: (line) => void process.stdout.write(`${line}\n`),
  write: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
  complain: (line) => void process.stderr.write(`${line}\n`),
  log,
  isWatched: process.stderr.isTTY,
  showProgress(text) {
    if (process.stderr.isTTY) process.stderr.write(eraseLine + text);
  },
  isInteractive: process.stdin.isTTY && process.stderr.isTTY,
  async ask(question) {
    const reader = createInterface({ input: process.stdin, output: process.stderr });
    try {
      // Ctrl-C and Ctrl-D are answers too, which agree to nothing.
      return await reader.question(question).catch(() => "");
    } finally {
      reader.close();
    }
  },
  onInterrupt() {
    const interruption = new AbortController();
    for (const signal of stopSignals) {
      process.once(signal, () => {
        interruptedBy = signal;
        interruption.abort(new UsageError("Interrupted before the end."));
      });
    }
    return interruption.signal;
  },
  onStop(stop) {
    isServing = true;
    for (const signal of stopSignals) {
      process.once(signal, () => {
        const exit = (code: number) => log.flush(lastLinesWithinMs).then(() => process.exit(code));
        stop().then(
          () => exit(0),
          () => exit(1),
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
if (!isServing && !(await log.flush(auditWithinMs))) {
  process.stdout.write("Failed: the audit line cannot be written to standard error.\n");
  process.exit(1);
}
if (interruptedBy && process.exitCode) {
  // As if it had never been heeded: a script that runs the command ends with it.
  process.kill(process.pid, interruptedBy);
}
