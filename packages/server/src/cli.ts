#!/usr/bin/env node
import { constants, getPriority, hostname, setPriority, userInfo } from "node:os";
import { createInterface } from "node:readline/promises";
import { setFlagsFromString } from "node:v8";
import { dieOf, onEndOfNpx, onStopSignals } from "@afterword/command-line/stop-signals";
import manifest from "../package.json" with { type: "json" };
import { type Terminal } from "./commands/terminal.ts";
import { nodeVersionProblem } from "@afterword/reference-server/node-version";

// Before other imports: on an older Node the database driver crashes the process without a message.
const problem = nodeVersionProblem(process.version);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
const [{ systemClock, UsageError }, { LogWriter }, { createProgram, forgetEmptyVariables, runProgram }] =
  await Promise.all([
    import("@afterword/reference-server/internal"),
    import("./log/log-writer.ts"),
    import("./commands/program.ts"),
  ]);

// `head` and the like close the pipe once they have enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`Failed: could not write to standard output: ${error.message}\n`);
  process.exit(1);
});
// Nothing can be reported without stderr; the command still runs.
process.stderr.on("error", () => undefined);

const eraseLine = "\r\u001b[2K";

// Databases, logs, backups and reports contain personal data: new files are private to their owner.
process.umask(0o077);

/** A container may run as a numeric user without a name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

async function ask(question: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C and Ctrl-D mean no.
    return await reader.question(question).catch(() => "");
  } finally {
    reader.close();
  }
}

const stopSignals = ["SIGINT", "SIGTERM"] as const;
/** The signal that ended a command after its current step. */
let interruptedBy: (typeof stopSignals)[number] | undefined;

const stderr = 2;
/** After everything else has stopped, which takes at most 9.5 seconds. */
const lastLinesWithinMs = 400;
/** A command that waited forever for its log would hang scripts. */
const auditWithinMs = 10_000;
let isServing = false;

// Written when the process ends, and never delays a reply when its reader is slow.
const log = new LogWriter(stderr);
process.on("exit", () => log.writeRest());

forgetEmptyVariables(process.env);

const terminal: Terminal = {
  environment: process.env,
  operator: accountName(),
  host: hostname(),
  clock: systemClock,
  print: (line) => void process.stdout.write(`${line}\n`),
  write: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
  complain: (line) => void process.stderr.write(`${line}\n`),
  log,
  setExitCode(code) {
    process.exitCode = code;
  },
  showProgress(text) {
    if (process.stderr.isTTY) process.stderr.write(eraseLine + text);
  },
  ask: process.stdin.isTTY && process.stderr.isTTY ? ask : undefined,
  onInterrupt() {
    const interruption = new AbortController();
    onStopSignals(stopSignals, (signal) => {
      interruptedBy = signal;
      interruption.abort(new UsageError("Interrupted before it was done."));
    });
    return interruption.signal;
  },
  giveWay() {
    setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
    // Rows come and go at once. V8's young generation would grow all the same: results from PostgreSQL took 400 MB, not 300.
    setFlagsFromString("--semi-space-growth-factor=1");
  },
  onStop(stop) {
    isServing = true;
    const exit = (code: number) => log.flush(lastLinesWithinMs).then(() => process.exit(code));
    const end = () =>
      void stop().then(
        () => exit(0),
        () => exit(1),
      );
    onStopSignals(stopSignals, end);
    onEndOfNpx("afterword-server", end);
  },
};

const program = createProgram(terminal, manifest.version);
await runProgram(program, process.argv.slice(2), terminal);
if (!isServing && !(await log.flush(auditWithinMs))) {
  process.stdout.write("Failed: could not write the audit line to standard error.\n");
  process.exit(process.exitCode || 1);
}
if (interruptedBy && process.exitCode) dieOf(interruptedBy);
