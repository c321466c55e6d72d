#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import manifest from "../package.json" with { type: "json" };
import { exitCodes } from "./commands/exit-code.ts";
import { patientWriter } from "./commands/patient-writer.ts";
import { runProgram } from "./commands/program.ts";
import { systemClock } from "./options/system-clock.ts";

// A forwarder stays for months beside other programs. Left alone, V8 lets the heap grow to what is comfortable at full
// speed, many times what is alive; so it keeps it small, and the space of young objects as it is (decision O30).
// A runtime with another engine knows no such flags.
try {
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--semi-space-growth-factor=1");
} catch {
  // Its heap is its own matter.
}

const interrupted = new AbortController();

// The first signal drains and ends within ten seconds; who is in a hurry sends a second one.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (interrupted.signal.aborted) process.exit(exitCodes.interrupted);
    interrupted.abort();
  });
}

let typed: AsyncIterator<string> | undefined;

/** Lines of standard input; opened only by commands that ask, since it keeps the process alive. */
async function readLine(): Promise<string | undefined> {
  typed ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const line = await typed.next();
  return line.done ? undefined : line.value;
}

process.exitCode = await runProgram(process.argv.slice(2), {
  version: manifest.version,
  environment: process.env,
  writeOut: patientWriter(process.stdout, interrupted),
  writeError: (output) => void process.stderr.write(output),
  isTerminal: process.stderr.isTTY,
  // Some terminals say 0.
  columns: () => process.stderr.columns || 80,
  readFile: (path) => readFile(path, "utf8"),
  readInput: () => text(process.stdin),
  readLine,
  fetch: (input, init) => fetch(input, init),
  clock: systemClock,
  random: Math.random,
  interrupted: interrupted.signal,
});
if (typed) process.stdin.destroy();
// What a sink still holds open must not keep a program that was told to end: its drain time is over.
if (interrupted.signal.aborted) setTimeout(() => process.exit(), 500).unref();
