#!/usr/bin/env node
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { onStopSignals } from "@afterword/command-line/stop-signals";
import manifest from "../package.json" with { type: "json" };
import { runProgram } from "./commands/program.ts";

const interrupted = new AbortController();

// The first signal ends the current clause and erases what was stored; the second one ends the program at once.
onStopSignals(["SIGINT", "SIGTERM"], () => interrupted.abort(new Error("interrupted")));

process.exitCode = await runProgram(process.argv.slice(2), {
  version: manifest.version,
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  writeFile: (path, text) => writeFileSync(path, text),
  wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
  randomId: randomUUID,
  signal: interrupted.signal,
});
