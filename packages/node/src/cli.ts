#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { onEndOfNpx, onStopSignals } from "@afterword/command-line/stop-signals";
import manifest from "../package.json" with { type: "json" };
import { exitCodes } from "./commands/exit-code.ts";
import { streamWriter } from "./commands/shell.ts";
import { runProgram } from "./commands/program.ts";
import { environmentFetch } from "./http/environment-fetch.ts";
import { systemClock } from "./options/clock.ts";

// A forwarder runs for months beside other programs. By default V8 lets the heap grow to many times the live data, so
// these flags keep the heap and the young generation small. Other engines have no such flags.
try {
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--semi-space-growth-factor=1");
} catch {
  // Not V8.
}

const interrupted = new AbortController();

// The first signal shuts down gracefully within ten seconds, the second one at once.
let stopSignal: NodeJS.Signals | undefined;
const exit = () => process.exit(exitCodes.interrupted);
const stop = (signal: NodeJS.Signals) => {
  if (stopSignal) exit();
  stopSignal = signal;
  interrupted.abort();
};
onStopSignals(["SIGINT", "SIGTERM", "SIGHUP"], stop, exit);
onEndOfNpx("afterword", () => interrupted.abort());

/** Made by the first request: the program has checked the variables by then. */
let fetchOfProgram: typeof fetch | undefined;

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
  writeOut: streamWriter(process.stdout, interrupted),
  writeError: (output) => void process.stderr.write(output),
  isTerminal: process.stderr.isTTY,
  // Some terminals report 0.
  columns: () => process.stderr.columns || 80,
  readFile: (path) => readFile(path, "utf8"),
  readInput: () => text(process.stdin),
  readLine,
  fetch: (input, init) => (fetchOfProgram ??= environmentFetch())(input, init),
  clock: systemClock,
  random: Math.random,
  interrupted: interrupted.signal,
  stopSignal: () => stopSignal,
});
if (typed) process.stdin.destroy();
// The drain time is over, so a handle that a sink still holds open must not keep the process alive.
if (interrupted.signal.aborted) setTimeout(() => process.exit(), 500).unref();
